"""``switchboard agents``: describe, publish and roll back agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from switchboard.commands.api_command import api_command
from switchboard.commands.options import Offset

if TYPE_CHECKING:
    from switchboard.commands.session import Session
    from switchboard_client.models import AgentPublished

app = typer.Typer(help="Describe, list, publish and roll back agents.", no_args_is_help=True)

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
    prompt: Annotated[str, typer.Option(help="What the agent should do, in your own words.")],
    name: Annotated[
        str | None,
        typer.Option(help="Default: a name found in the prompt.", show_default=False),
    ] = None,
    publish: Annotated[
        bool, typer.Option("--publish", help="Publish it at once, so that it takes calls.")
    ] = False,
    accept_limited: AcceptLimited = False,
) -> None:
    """Make an agent from a description.

    A language model writes it if one is configured; otherwise a built-in builder does.
    """
    from switchboard.commands import agent_view
    from switchboard.commands.session import document_of
    from switchboard_client.models import Questions

    with session.notes.status("Writing the agent …"):
        generated = await session.client.agents.generate({"prompt": prompt})
    if isinstance(generated, Questions):
        agent_view.show_questions(session, generated)
        raise typer.Exit(1)
    draft = generated.draft | ({} if name is None else {"name": name})
    agent_id = str((await session.client.agents.create(draft)).id)
    if not session.as_json:
        agent_view.show_draft(session, agent_id, draft, generated.warnings)
    published = None
    if publish:
        published = await _published(session, agent_id, accept_limited=accept_limited)
    if session.as_json:
        session.print_json(
            {
                "id": agent_id,
                "draft": draft,
                "source": generated.source,
                "warnings": generated.warnings,
                "published": None if published is None else document_of(published),
            }
        )
    elif published is None:
        agent_view.show_next_step(session, agent_id)
    else:
        agent_view.show_published(session, published)


@app.command("list")
@api_command()
async def list_(session: Session, limit: Limit = 50, offset: Offset = 0) -> None:
    """List the account's agents."""
    from switchboard.commands.agent_view import show_agents

    session.show(await session.client.agents.page(limit=limit, offset=offset), show_agents)


@app.command("show")
@api_command()
async def show(session: Session, agent_id: AgentId) -> None:
    """Show one agent; --json shows all of it."""
    from switchboard.commands.agent_view import show_agent

    session.show(await session.client.agents.show(agent_id), show_agent)


@app.command("publish")
@api_command()
async def publish(
    session: Session, agent_id: AgentId, accept_limited: AcceptLimited = False
) -> None:
    """Freeze the agent as it is into the next version, which new calls run."""
    from switchboard.commands.agent_view import show_published

    published = await _published(session, agent_id, accept_limited=accept_limited)
    session.show(published, show_published)


@app.command("versions")
@api_command()
async def versions(
    session: Session, agent_id: AgentId, limit: Limit = 50, offset: Offset = 0
) -> None:
    """List an agent's published versions."""
    from switchboard.commands.agent_view import show_versions

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
    from switchboard.commands.agent_view import show_rolled_back

    answer = await session.client.agents.roll_back(agent_id, version, restore_draft=restore_draft)
    session.show(answer, show_rolled_back)


async def _published(session: Session, agent_id: str, *, accept_limited: bool) -> AgentPublished:
    """Publish the agent; when something stands in the way, say what it is.

    Raises:
        typer.Exit: the agent is not ready to be published.
    """
    from switchboard.commands.agent_view import show_not_ready
    from switchboard_client.problems import AgentNotPublishReady

    try:
        return await session.client.agents.publish(agent_id, accept_limited=accept_limited)
    except AgentNotPublishReady as refused:
        show_not_ready(session, refused)
        raise typer.Exit(1) from None
