"""``switchboard agents``: describe, publish and roll back agents."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from switchboard.commands.agent.chat import chat
from switchboard.commands.api.command import api_command
from switchboard.commands.options import Offset

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session
    from switchboard_client.models import AgentPublished

app = typer.Typer(help="Describe, change, publish and roll back agents.", no_args_is_help=True)
app.command("chat")(api_command()(chat))

AgentId = Annotated[str, typer.Argument(metavar="ID", help="Id of the agent.")]
Limit = Annotated[int, typer.Option(min=1, max=200, help="How many to show.")]

AcceptLimited = Annotated[
    bool,
    typer.Option(
        "--accept-limited",
        help="Publish it even if the offline engine can follow less than two thirds of it.",
    ),
]


@app.command("create")
@api_command()
async def create(
    session: Session,
    prompt: Annotated[
        str | None, typer.Option(help="What the agent should do, in your own words.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="A JSON file with the agent's fields, instead of a prompt."),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(help="Default: a name found in the prompt.", show_default=False),
    ] = None,
    publish: Annotated[
        bool, typer.Option(help="Publish it at once, so that it takes calls.")
    ] = True,
    accept_limited: AcceptLimited = False,
) -> None:
    """Make an agent from a description or a file, and print where to talk to it.

    A language model writes it if one is configured; otherwise a built-in builder does.
    """
    from switchboard.commands.agent import view as agent_view
    from switchboard.commands.agent.page_address import call_page_address
    from switchboard.commands.api.session import document_of

    drafted = await _drafted(session, prompt, file)
    draft = drafted.fields | ({} if name is None else {"name": name})
    agent_id = str((await session.client.agents.create(draft)).id)
    if not session.as_json:
        agent_view.show_draft(session, agent_id, draft, drafted.warnings)
    published = page = None
    try:
        if publish:
            published = await _published(session, agent_id, accept_limited=accept_limited)
            page = await call_page_address(session, agent_id, str(draft.get("name", agent_id)))
    finally:
        # It is saved, whatever stands in the way of publishing it.
        if session.as_json:
            session.print_json(
                {
                    "id": agent_id,
                    "draft": draft,
                    "source": drafted.source,
                    "warnings": drafted.warnings,
                    "published": None if published is None else document_of(published),
                    "call_page": page,
                }
            )
    if session.as_json:
        return
    if published is None:
        agent_view.show_next_step(session, agent_id)
    else:
        agent_view.show_published(session, published, page)


@app.command("update")
@api_command()
async def update(
    session: Session,
    agent_id: AgentId,
    file: Annotated[
        Path | None,
        typer.Option("--file", help="A JSON file with the fields to change; - reads it here."),
    ] = None,
    name: Annotated[str | None, typer.Option(help="Its new name.")] = None,
    publish: Annotated[
        bool, typer.Option(help="Publish the change, so that new calls run it.")
    ] = True,
    accept_limited: AcceptLimited = False,
) -> None:
    """Change some fields of an agent; the others stay as they are."""
    from switchboard.commands.agent.file import read_agent_file
    from switchboard.commands.agent.view import show_published, show_updated
    from switchboard.problems import Problem

    fields = {} if file is None else read_agent_file(file)
    fields |= {} if name is None else {"name": name}
    if not fields:
        raise Problem("There is nothing to change.", "Give --file or --name.")
    updated = await session.client.agents.update(agent_id, fields)
    if not publish:
        session.show(updated, lambda session, _: show_updated(session, agent_id))
        return
    published = await _published(session, agent_id, accept_limited=accept_limited)
    session.show(published, show_published)


@app.command("delete")
@api_command()
async def delete(
    session: Session,
    agent_id: AgentId,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Delete an agent. Running calls continue, and finished calls can still be read."""
    from switchboard.commands.agent.view import show_deleted
    from switchboard.commands.keyboard import ctrl_c_interrupts

    if not yes:
        agent = await session.client.agents.show(agent_id)
        with ctrl_c_interrupts():
            typer.confirm(f"Delete the agent {agent.name} ({agent_id})?", abort=True, err=True)
    session.show(await session.client.agents.remove(agent_id), show_deleted)


@app.command("link")
@api_command()
async def link(session: Session, agent_id: AgentId) -> None:
    """Make an address at which people talk to the agent in a browser, with a key of its own."""
    from switchboard.commands.agent.page_address import call_page_address
    from switchboard.commands.agent.view import show_call_page

    agent = await session.client.agents.show(agent_id)
    page = await call_page_address(session, agent.id, agent.name)
    if session.as_json:
        session.print_json({"call_page": page})
    else:
        show_call_page(session, page)


@app.command("list")
@api_command()
async def list_(session: Session, limit: Limit = 50, offset: Offset = 0) -> None:
    """List the account's agents."""
    from switchboard.commands.agent.view import show_agents

    session.show(await session.client.agents.page(limit=limit, offset=offset), show_agents)


@app.command("show")
@api_command()
async def show(session: Session, agent_id: AgentId) -> None:
    """Show one agent; --json shows all of it."""
    from switchboard.commands.agent.view import show_agent

    session.show(await session.client.agents.show(agent_id), show_agent)


@app.command("publish")
@api_command()
async def publish(
    session: Session, agent_id: AgentId, accept_limited: AcceptLimited = False
) -> None:
    """Freeze the agent as it is into the next version, which new calls run."""
    from switchboard.commands.agent.view import show_published

    published = await _published(session, agent_id, accept_limited=accept_limited)
    session.show(published, show_published)


@app.command("versions")
@api_command()
async def versions(
    session: Session, agent_id: AgentId, limit: Limit = 50, offset: Offset = 0
) -> None:
    """List an agent's published versions."""
    from switchboard.commands.agent.view import show_versions

    page = await session.client.agents.versions(agent_id, limit=limit, offset=offset)
    session.show(page, show_versions)


@app.command("roll-back")
@api_command()
async def roll_back(
    session: Session,
    agent_id: AgentId,
    version: Annotated[int, typer.Argument(metavar="N", min=1, help="The version to serve again.")],
    restore_draft: Annotated[
        bool, typer.Option("--restore-draft", help="Take the editable agent back as well.")
    ] = False,
) -> None:
    """Serve an earlier version again, from the next call on."""
    from switchboard.commands.agent.view import show_rolled_back

    answer = await session.client.agents.roll_back(agent_id, version, restore_draft=restore_draft)
    session.show(answer, show_rolled_back)


@dataclass(frozen=True)
class _Drafted:
    fields: dict[str, Any]
    source: str
    """``llm``, ``local`` or ``file``."""
    warnings: list[str]


async def _drafted(session: Session, prompt: str | None, file: Path | None) -> _Drafted:
    """An agent's fields, from a file or written from a prompt.

    Raises:
        typer.BadParameter: neither or both are given.
        Problem: the file cannot be read.
        typer.Exit: the prompt says too little.
    """
    from switchboard.commands.agent import view as agent_view
    from switchboard.commands.agent.file import read_agent_file
    from switchboard_client.models import Questions

    if (prompt is None) == (file is None):
        raise typer.BadParameter("give either --prompt or --file")
    if file is not None:
        return _Drafted(read_agent_file(file), "file", [])
    with session.notes.status("Writing the agent …"):
        generated = await session.client.agents.generate({"prompt": prompt})
    if isinstance(generated, Questions):
        agent_view.show_questions(session, generated)
        raise typer.Exit(1)
    return _Drafted(generated.draft, generated.source, generated.warnings)


async def _published(session: Session, agent_id: str, *, accept_limited: bool) -> AgentPublished:
    """Publish the agent; when something stands in the way, say what it is.

    Raises:
        typer.Exit: the agent is not ready to be published.
    """
    from switchboard.commands.agent.view import show_not_ready
    from switchboard_client.problems import AgentNotPublishReady

    try:
        return await session.client.agents.publish(agent_id, accept_limited=accept_limited)
    except AgentNotPublishReady as refused:
        show_not_ready(session, refused)
        raise typer.Exit(1) from None
