"""The command line. Each command imports what it needs when it runs, so that all start fast."""

from __future__ import annotations

import errno
import importlib.metadata
import os
import sys
from typing import Annotated

import typer

from switchboard.commands import (
    account,
    agents,
    billing,
    calls,
    catalogue,
    encryption,
    erasures,
    keys,
    processes,
    webhooks,
)
from switchboard.commands.options import ApiKey, ApiUrl, DataDir, Port
from switchboard.commands.settings import command_settings

app = typer.Typer(
    name="switchboard",
    help="Voice agents that people talk to from a browser or a phone, on your own machines.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


_UNUSABLE = frozenset({errno.EACCES, errno.EPERM, errno.ENOTDIR, errno.EROFS})
"""What is wrong with a data directory in which nothing can be read or written."""


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(importlib.metadata.version("switchboard"))
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    return


@app.command()
def up(
    worker_processes: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Processes of the media worker. Default: one for each core.",
            show_default=False,
        ),
    ] = None,
    open_console: Annotated[
        bool, typer.Option("--open", help="Open the console in a browser when it runs.")
    ] = False,
    port: Port = None,
    data_dir: DataDir = None,
) -> None:
    """Start everything on this machine: databases, API, jobs, media workers. Ctrl-C stops it.

    Set SWITCHBOARD_DATABASE_URL and SWITCHBOARD_REDIS_URL to use your own servers.
    """
    from rich.console import Console

    from switchboard.logs import log_to_file
    from switchboard.up import run_up

    settings = command_settings(data_dir, port=port, worker_processes=worker_processes)
    log_to_file(settings.data_dir, "up", settings.log_level)
    raise typer.Exit(run_up(settings, Console(), open_console=open_console))


@app.command()
def demo(
    exit_when_done: Annotated[
        bool, typer.Option("--exit", help="Stop when the call is over, instead of running on.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Also fail when a latency is above its target.")
    ] = False,
    phone: Annotated[
        bool, typer.Option("--phone", help="Call by phone, through a carrier on this machine.")
    ] = False,
    port: Port = None,
    data_dir: DataDir = None,
) -> None:
    """Start everything, make an agent, call it with a synthetic voice, and show the results."""
    from switchboard.demo.run import DemoOptions, run_demo
    from switchboard.logs import log_to_file

    settings = command_settings(data_dir, port=port)
    log_to_file(settings.data_dir, "demo", settings.log_level)
    options = DemoOptions(
        settings=settings, exit_when_done=exit_when_done, strict=strict, by_phone=phone
    )
    raise typer.Exit(run_demo(options))


@app.command()
def call(
    agent: Annotated[str, typer.Option(help="Id of the agent to call.")],
    say: Annotated[
        list[str] | None,
        typer.Option(
            help="What to say in one turn; give it once for each turn. Default: three sentences.",
            show_default=False,
        ),
    ] = None,
    mic: Annotated[
        bool, typer.Option("--mic", help="Talk with this machine's microphone.")
    ] = False,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    data_dir: DataDir = None,
) -> None:
    """Call an agent from the command line."""
    from switchboard.commands.call.call import CallOptions, run_call

    settings = command_settings(data_dir)
    options = CallOptions(
        agent_id=agent,
        say=tuple(say or ()),
        microphone=mic,
        api_url=api_url,
        api_key=api_key,
        data_dir=settings.data_dir,
    )
    raise typer.Exit(run_call(options))


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, for programs.")] = False,
    data_dir: DataDir = None,
    port: Port = None,
) -> None:
    """Check this machine. Each line says what is wrong and what to do; exit code 1 on a failure."""
    from switchboard.doctor.report import run_doctor

    raise typer.Exit(run_doctor(command_settings(data_dir, port=port), as_json=as_json))


app.add_typer(processes.app)
app.add_typer(account.app, name="account")
app.add_typer(agents.app, name="agents")
app.add_typer(billing.app, name="billing")
app.add_typer(calls.app, name="calls")
app.add_typer(keys.app, name="keys")
app.add_typer(webhooks.app, name="webhooks")
app.add_typer(catalogue.app, name="catalogue")
app.add_typer(encryption.app, name="encryption")
app.add_typer(erasures.app, name="erasures")


def main() -> None:
    """The ``switchboard`` command."""
    from switchboard.settings import MissingSetting

    # This process and those that it starts write recordings, transcripts and tokens: only their
    # user may read them.
    os.umask(0o077)
    try:
        app()
    except MissingSetting as missing:
        typer.echo(f"{missing}. `switchboard up` sets everything on one machine.", err=True)
        sys.exit(2)
    except OSError as refused:
        if refused.filename is None or refused.errno not in _UNUSABLE:
            raise
        typer.echo(
            f"{refused.filename}: {refused.strerror}. Run this as the user who has started "
            "Switchboard here, or choose another --data-dir.",
            err=True,
        )
        sys.exit(1)
