"""``switchboard calls``: list, watch, end and export calls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from switchboard.commands.api.command import api_command
from switchboard.commands.options import Offset

if TYPE_CHECKING:
    from switchboard.commands.api.session import Session

app = typer.Typer(help="List, show, watch, end and export calls.", no_args_is_help=True)

MOST_EXPORTED = 5_000

CallId = Annotated[str, typer.Argument(metavar="ID", help="Id of the call.")]
Status = Annotated[
    str | None,
    typer.Option(help="Only calls with this status, such as in_progress or completed."),
]
Agent = Annotated[str | None, typer.Option(help="Only calls of the agent with this id.")]


@app.command("list")
@api_command()
async def list_(
    session: Session,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many to show.")] = 20,
    offset: Offset = 0,
    status: Status = None,
    agent: Agent = None,
) -> None:
    """List the account's calls, newest first."""
    from switchboard.commands.call.view import show_calls

    page = await session.client.calls.page(
        limit=limit, offset=offset, status=status, agent_id=agent
    )
    session.show(page, show_calls)


@app.command("show")
@api_command()
async def show(session: Session, call_id: CallId) -> None:
    """Show one call: its transcript, its results and its cost; --json shows all of it."""
    from switchboard.commands.call.view import show_call

    session.show(await session.client.calls.show(call_id), show_call)


@app.command("tail")
@api_command()
async def tail(
    session: Session,
    call_id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="Default: the newest call in progress."),
    ] = None,
    follow: Annotated[
        bool, typer.Option(help="Go on until the call ends, or stop after what was said so far.")
    ] = True,
) -> None:
    """Watch a call as it happens. With --json one event a line."""
    from switchboard.commands.call import tail as call_tail

    await call_tail.tail(session, call_id, follow=follow)


@app.command("end")
@api_command()
async def end(session: Session, call_id: CallId) -> None:
    """Hang up a call."""
    from switchboard.commands.call.view import show_ended

    session.show(await session.client.calls.end(call_id), show_ended)


@app.command("export")
@api_command(with_json=False)
async def export(
    session: Session,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write. Default: standard output.", show_default=False
        ),
    ] = None,
    file_format: Annotated[
        Literal["csv", "jsonl"],
        typer.Option("--format", help="A table, or the API's JSON objects, one a line."),
    ] = "csv",
    limit: Annotated[
        int, typer.Option(min=1, max=MOST_EXPORTED, help="How many at most.")
    ] = MOST_EXPORTED,
    status: Status = None,
    agent: Agent = None,
) -> None:
    """Write calls to a file, newest first. An existing file is replaced only at the end."""
    from switchboard.commands.call import export as call_export

    with call_export.destination(output) as file:
        await call_export.export(
            session, file, file_format, limit=limit, status=status, agent_id=agent
        )
