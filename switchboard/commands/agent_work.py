"""What the commands of ``switchboard agents`` do, through the public API."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from rich.table import Column, Table
from rich.text import Text

from switchboard.caller.problems import RequestRefused
from switchboard.commands.agent_view import show_agent, show_findings, show_warnings
from switchboard.commands.session import CommandFailed, Session
from switchboard.commands.tables import id_column, local_time

_NOT_READY = "agent_not_publish_ready"


async def create(session: Session, prompt: str, name: str | None, *, publish: bool) -> None:
    """Draft the agent, keep it and publish it if that is wanted.

    Raises:
        CommandFailed: the prompt says too little, or the agent cannot be published yet.
    """
    with session.notes.status("Writing the agent …"):
        generated = await session.api.post("/v1/agents/generate", {"prompt": prompt})
    if not generated["generated"]:
        show_findings(
            session.notes,
            "The prompt says too little. Run the command again with answers to this in it:",
            generated["clarifying_questions"],
        )
        raise CommandFailed
    draft = generated["draft"] | ({} if name is None else {"name": name})
    agent_id = (await session.api.post("/v1/agents", draft))["id"]
    warnings = generated.get("warnings", [])
    if not session.as_json:
        show_agent(session.console, draft | {"id": agent_id})
        show_warnings(session.notes, warnings)
    published = await _publish(session, agent_id) if publish else None
    if session.as_json:
        session.document(
            {
                "id": agent_id,
                "draft": draft,
                "source": generated.get("source"),
                "warnings": warnings,
                "published": published,
            }
        )
    elif published is None:
        _say(session, f"Publish it with  switchboard agents publish {agent_id}")
    else:
        _show_published(session, published)


async def list_agents(session: Session, limit: int, offset: int) -> None:
    page = await session.api.get("/v1/agents", limit=limit, offset=offset)
    if session.as_json:
        session.document(page)
        return
    table = Table(
        id_column(), "Name", "Language", "Voice", "Language model", box=None, pad_edge=False
    )
    for agent in page["agents"]:
        table.add_row(
            agent["id"],
            Text(agent["name"]),
            agent["language"],
            Text(agent["voice"] or "–"),
            Text(agent["llm_model"] or agent["llm_provider"] or "–"),
        )
    _show_page(session, table, page, page["agents"], "No agents yet: switchboard agents create")


async def show(session: Session, agent_id: str) -> None:
    agent = await session.api.get(_path(agent_id))
    if session.as_json:
        session.document(agent)
    else:
        show_agent(session.console, agent)


async def publish(session: Session, agent_id: str) -> None:
    published = await _publish(session, agent_id)
    if session.as_json:
        session.document(published)
    else:
        _show_published(session, published)


async def versions(session: Session, agent_id: str, limit: int, offset: int) -> None:
    page = await session.api.get(f"{_path(agent_id)}/versions", limit=limit, offset=offset)
    if session.as_json:
        session.document(page)
        return
    table = Table(
        Column("Version", justify="right"), "Published", "", "Digest", box=None, pad_edge=False
    )
    for version in page["versions"]:
        remarks = ["served"] if version["is_served"] else []
        if version["restored_from"] is not None:
            remarks.append(f"repeats {version['restored_from']}")
        table.add_row(
            str(version["version"]),
            local_time(version["published_at"]),
            ", ".join(remarks),
            version["digest"][:12],
        )
    _show_page(session, table, page, page["versions"], "Nothing of it has been published yet.")


async def roll_back(session: Session, agent_id: str, version: int, *, restore_draft: bool) -> None:
    answer = await session.api.post(
        f"{_path(agent_id)}/versions/{version}/roll-back", {"restore_draft": restore_draft}
    )
    if session.as_json:
        session.document(answer)
        return
    _say(
        session,
        f"Version {answer['version']} is served from the next call on; it repeats {version}.",
    )
    show_warnings(session.notes, answer["warnings"])


async def _publish(session: Session, agent_id: str) -> dict[str, Any]:
    """Raises ``CommandFailed`` when something stands in the way."""
    try:
        return await session.api.post(f"{_path(agent_id)}/publish")
    except RequestRefused as refused:
        if refused.code != _NOT_READY:
            raise
        blockers = refused.problem.get("blockers") or [refused.detail]
        show_findings(session.notes, "It cannot be published yet:", blockers)
        show_warnings(session.notes, refused.problem.get("warnings", []))
        raise CommandFailed from None


def _show_published(session: Session, published: dict[str, Any]) -> None:
    _say(session, f"Published version {published['version']}.")
    show_warnings(session.notes, published.get("warnings", []))
    _say(session, f"Talk to it with  switchboard call --agent {published['id']}")


def _show_page(
    session: Session, table: Table, page: dict[str, Any], rows: list[Any], when_empty: str
) -> None:
    if page["total"] == 0:
        session.notes.print(when_empty, style="dim")
        return
    session.console.print(table)
    if len(rows) < page["total"]:
        session.notes.print(f"{len(rows)} of {page['total']}; see --offset.", style="dim")


def _say(session: Session, sentence: str) -> None:
    session.console.print(Text(sentence), soft_wrap=True)


def _path(agent_id: str) -> str:
    return f"/v1/agents/{quote(agent_id, safe='')}"
