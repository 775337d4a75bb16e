"""``switchboard calls``: list, watch, end and export calls."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from switchboard.commands.options import ApiKey, ApiUrl, AsJson, DataDir

app = typer.Typer(help="List, show, watch, end and export calls.", no_args_is_help=True)

MOST_EXPORTED = 5_000

CallId = Annotated[str, typer.Argument(metavar="ID", help="Id of the call.")]
Status = Annotated[
    str | None,
    typer.Option(help="Only calls with this status, such as in_progress or completed."),
]
Agent = Annotated[str | None, typer.Option(help="Only calls of the agent with this id.")]


@app.command("list")
def list_(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many to show.")] = 20,
    offset: Annotated[int, typer.Option(min=0, help="How many to leave out first.")] = 0,
    status: Status = None,
    agent: Agent = None,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """List the account's calls, newest first."""
    from switchboard.commands import call_work
    from switchboard.commands.session import run

    run(
        lambda session: call_work.list_calls(
            session, limit=limit, offset=offset, status=status, agent_id=agent
        ),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )


@app.command("show")
def show(
    call_id: CallId,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Show one call: what was said, what came of it and what it cost; --json shows all of it."""
    from switchboard.commands import call_work
    from switchboard.commands.session import run

    run(
        lambda session: call_work.show(session, call_id),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )


@app.command("tail")
def tail(
    call_id: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", help="Default: the newest call in progress."),
    ] = None,
    follow: Annotated[
        bool, typer.Option(help="Until the call ends; else what was said so far.")
    ] = True,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Watch a call as it happens. With --json one event a line."""
    from switchboard.commands import call_tail
    from switchboard.commands.session import run

    run(
        lambda session: call_tail.tail(session, call_id, follow=follow),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )


@app.command("end")
def end(
    call_id: CallId,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    as_json: AsJson = False,
    data_dir: DataDir = None,
) -> None:
    """Hang up a call."""
    from switchboard.commands import call_work
    from switchboard.commands.session import run

    run(
        lambda session: call_work.end(session, call_id),
        api_url=api_url,
        api_key=api_key,
        data_dir=data_dir,
        as_json=as_json,
    )


@app.command("export")
def export(
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", help="File to write. Default: standard output.", show_default=False
        ),
    ] = None,
    file_format: Annotated[
        Literal["csv", "jsonl"],
        typer.Option("--format", help="A table, or the API's own documents, one a line."),
    ] = "csv",
    limit: Annotated[
        int, typer.Option(min=1, max=MOST_EXPORTED, help="How many at most.")
    ] = MOST_EXPORTED,
    status: Status = None,
    agent: Agent = None,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    data_dir: DataDir = None,
) -> None:
    """Write calls into a file, newest first. The file is replaced once all of them are there."""
    from switchboard.commands import call_export
    from switchboard.commands.session import run

    with call_export.destination(output) as file:
        run(
            lambda session: call_export.export(
                session, file, file_format, limit=limit, status=status, agent_id=agent
            ),
            api_url=api_url,
            api_key=api_key,
            data_dir=data_dir,
            as_json=False,
        )
