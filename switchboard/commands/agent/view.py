"""Agents, their versions and the findings about them, on a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rich.table import Column
from rich.text import Text

from switchboard.command_name import command_name
from switchboard.commands.tables import facts_table, id_column, list_table, local_time, show_page

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session
    from switchboard_client.models import (
        AgentDeleted,
        AgentList,
        AgentPublished,
        AgentView,
        Questions,
        RolledBack,
        VersionList,
    )
    from switchboard_client.problems import AgentNotPublishReady

Finding = str | Mapping[str, Any]
"""A sentence, or an object with ``field``, ``message`` and ``fix``."""

_LONGEST_TEXT = 300


def show_agents(session: Session, page: AgentList) -> None:
    table = list_table(id_column(), "Name", "Language", "Voice", "Language model")
    for agent in page.agents:
        table.add_row(
            str(agent.id),
            Text(agent.name),
            agent.language,
            Text(agent.voice or "–"),
            Text(agent.llm_model or agent.llm_provider or "–"),
        )
    make_one = f"No agents yet. Make one: {command_name()} agents create"
    show_page(session, table, page.total, when_empty=make_one)


def show_agent(session: Session, agent: AgentView) -> None:
    _show_facts(session, agent.model_dump())


def show_draft(
    session: Session, agent_id: str, draft: Mapping[str, Any], warnings: Iterable[str]
) -> None:
    """A new agent that is not published."""
    _show_facts(session, {**draft, "id": agent_id})
    _show_warnings(session, warnings)


def show_next_step(session: Session, agent_id: str) -> None:
    _print(session, f"Publish it with  {command_name()} agents publish {agent_id}")


def show_published(
    session: Session, published: AgentPublished, call_page: str | None = None
) -> None:
    """``call_page``: an address at which people talk to it, if one was made."""
    _print(session, f"Published version {published.version}.")
    _show_warnings(session, (each.model_dump() for each in published.warnings))
    if call_page is not None:
        show_call_page(session, call_page)
    else:
        _print(session, f"In a browser:  {command_name()} agents link {published.id}")
    _print(session, f"From here:  {command_name()} call --agent {published.id}")


def show_call_page(session: Session, address: str) -> None:
    _print(session, f"Talk to it in a browser:  {address}")


def show_updated(session: Session, agent_id: str) -> None:
    _print(session, "Changed. New calls run the published version until you publish the change:")
    _print(session, f"{command_name()} agents publish {agent_id}")


def show_deleted(session: Session, deleted: AgentDeleted) -> None:
    _print(session, f"Agent {deleted.id} is deleted.")


def show_versions(session: Session, page: VersionList) -> None:
    table = list_table(Column("Version", justify="right"), "Published", "", "Digest")
    for version in page.versions:
        remarks = ["served"] if version.is_served else []
        if version.restored_from is not None:
            remarks.append(f"repeats {version.restored_from}")
        table.add_row(
            str(version.version),
            local_time(version.published_at),
            ", ".join(remarks),
            version.digest[:12],
        )
    show_page(session, table, page.total, when_empty="This agent has not been published yet.")


def show_rolled_back(session: Session, answer: RolledBack) -> None:
    _print(
        session,
        f"New calls run version {answer.version}, which repeats version {answer.restored_from}.",
    )
    _show_warnings(session, answer.warnings)


def show_questions(session: Session, questions: Questions) -> None:
    """What a prompt has to answer before an agent can be made from it."""
    _show_blockers(
        session,
        "The prompt says too little. Run the command again with a prompt that answers:",
        questions.clarifying_questions,
    )


def show_not_ready(session: Session, refused: AgentNotPublishReady) -> None:
    """What stands in the way of publishing, and how to mend it."""
    blockers = refused.document.get("blockers") or [refused.detail]
    _show_blockers(session, "It cannot be published yet:", blockers)
    _show_warnings(session, refused.document.get("warnings", []))


def _show_facts(session: Session, agent: Mapping[str, Any]) -> None:
    """What matters most of an agent, or of a draft with an ``id``."""
    persona = agent.get("persona") or {}
    playbook = agent.get("playbook") or {}
    facts = {
        "ID": agent["id"],
        "Name": agent.get("name"),
        "Company": persona.get("companyName"),
        "Role": persona.get("role"),
        "Language": agent.get("language"),
        "Voice": agent.get("voice"),
        "Language model": agent.get("llm_model") or agent.get("llm_provider"),
        "Published": _published(agent),
        "Opens with": playbook.get("opener"),
        "Asks for": ", ".join(slot["name"] for slot in playbook.get("requiredSlots") or ()),
        "Questions": "\n".join(
            item["question"] for item in playbook.get("qualificationFlow") or ()
        ),
        "Knows": "\n".join(persona.get("knowledgeBase") or ()),
        "Instructions": agent.get("system_prompt"),
    }
    table = facts_table()
    for label, value in facts.items():
        if value:
            table.add_row(label, Text(_shortened(str(value))))
    session.console.print(table)


def _published(agent: Mapping[str, Any]) -> str | None:
    if "published_version" not in agent:
        return None
    version = agent["published_version"]
    return "not yet" if version is None else f"version {version}"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_TEXT else text[: _LONGEST_TEXT - 1] + "…"


def _show_blockers(session: Session, heading: str, blockers: Iterable[Finding]) -> None:
    session.notes.print(Text.assemble(("  ✗ ", "red"), heading), soft_wrap=True)
    for blocker in blockers:
        _show_finding(session, blocker, ("    • ", "red"))


def _show_warnings(session: Session, warnings: Iterable[Finding]) -> None:
    for warning in warnings:
        _show_finding(session, warning, ("  ! ", "yellow"))


def _show_finding(session: Session, finding: Finding, mark: tuple[str, str]) -> None:
    if isinstance(finding, str):
        session.notes.print(Text.assemble(mark, finding), soft_wrap=True)
        return
    field, message, fix = (finding.get(key) for key in ("field", "message", "fix"))
    sentence = f"{field}: {message}" if field else str(message)
    session.notes.print(Text.assemble(mark, sentence), soft_wrap=True)
    if fix:
        session.notes.print(Text(f"      {fix}", style="dim"), soft_wrap=True)


def _print(session: Session, sentence: str) -> None:
    session.console.print(Text(sentence), soft_wrap=True)
