"""The command line. Each command imports what it needs when it runs, so that all start fast."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from switchboard.command_settings import command_settings as _settings
from switchboard.commands.agents import app as agents
from switchboard.commands.calls import app as calls
from switchboard.commands.catalogue import app as catalogue
from switchboard.commands.keys import app as keys
from switchboard.commands.options import ApiKey, ApiUrl, DataDir
from switchboard.process import ProcessName

if TYPE_CHECKING:
    from switchboard.settings import Settings

app = typer.Typer(
    name="switchboard",
    help="Voice agents that people talk to from a browser or a phone, on your own machines.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)

encryption = typer.Typer(
    no_args_is_help=True, help="The keys that protect tenants' secrets at rest."
)
app.add_typer(agents, name="agents")
app.add_typer(calls, name="calls")
app.add_typer(keys, name="keys")
app.add_typer(catalogue, name="catalogue")
app.add_typer(encryption, name="encryption")

Port = Annotated[
    int | None,
    typer.Option(
        min=1,
        max=65535,
        help="Port of the API. Default: 8080; when it is in use, the next free one.",
        show_default=False,
    ),
]


def _say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(importlib.metadata.version("switchboard"))
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_say_version, is_eager=True, help="Say the version."),
    ] = False,
) -> None:
    return


@app.command()
def up(
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Media workers. Default: 1", show_default=False),
    ] = None,
    port: Port = None,
    data_dir: DataDir = None,
) -> None:
    """Start everything on this machine: databases, API, jobs, media workers. Ctrl-C stops it.

    Set SWITCHBOARD_DATABASE_URL and SWITCHBOARD_REDIS_URL to use your own servers.
    """
    from rich.console import Console

    from switchboard.up import run_up

    settings = _settings(data_dir, port=port, workers=workers)
    _log_to_file(settings, "up")
    raise typer.Exit(run_up(settings, Console()))


@app.command()
def demo(
    exit_when_done: Annotated[
        bool, typer.Option("--exit", help="Stop when the call is over, instead of running on.")
    ] = False,
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail when a latency is above its target, too.")
    ] = False,
    port: Port = None,
    data_dir: DataDir = None,
) -> None:
    """Start everything, make an agent, call it with a synthetic voice, and show what came of it."""
    from switchboard.demo.run import DemoOptions, run_demo

    settings = _settings(data_dir, port=port)
    _log_to_file(settings, "demo")
    options = DemoOptions(settings=settings, exit_when_done=exit_when_done, strict=strict)
    raise typer.Exit(run_demo(options))


@app.command()
def call(
    agent: Annotated[str, typer.Option(help="Id of the agent to call.")],
    say: Annotated[
        list[str] | None,
        typer.Option(help="What to say, once per turn; may be given many times."),
    ] = None,
    mic: Annotated[
        bool, typer.Option("--mic", help="Talk with this machine's microphone.")
    ] = False,
    api_url: ApiUrl = None,
    api_key: ApiKey = None,
    data_dir: DataDir = None,
) -> None:
    """Call an agent from the command line."""
    from switchboard.caller.command import CallOptions, run_call

    settings = _settings(data_dir)
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
    as_json: Annotated[bool, typer.Option("--json", help="For machines.")] = False,
    data_dir: DataDir = None,
    port: Port = None,
) -> None:
    """Check this machine. Each line says what is wrong and what to do; exit code 1 on a failure."""
    from switchboard.doctor.report import run_doctor

    raise typer.Exit(run_doctor(_settings(data_dir, port=port), as_json=as_json))


@app.command()
def api(
    data_dir: DataDir = None,
    port: Port = None,
    fd: Annotated[
        int | None, typer.Option(help="Serve on this inherited listening socket.", hidden=True)
    ] = None,
) -> None:
    """Run only the API (needs SWITCHBOARD_DATABASE_URL, _REDIS_URL and _SECRET_KEY)."""
    from switchboard.api_process import run_api

    settings = _process(data_dir, port=port)
    run_api(settings, fd)


@app.command()
def jobs(data_dir: DataDir = None) -> None:
    """Run only the jobs process: applies call events, ends lost calls, runs background jobs."""
    import asyncio

    from control_plane.jobs import run_jobs
    from switchboard.process import run_until_stopped

    settings = _process(data_dir).control_plane()
    asyncio.run(run_until_stopped(lambda stop: run_jobs(settings, stop)))


@app.command()
def worker(data_dir: DataDir = None) -> None:
    """Run only a media worker. SIGTERM drains it: its calls go on, it takes no new ones."""
    import asyncio

    from runtime.worker import run_worker
    from switchboard.process import run_until_stopped

    settings = _process(data_dir)
    asyncio.run(
        run_until_stopped(lambda stop: run_worker(settings.worker(), settings.providers(), stop))
    )


@app.command()
def bridge(data_dir: DataDir = None) -> None:
    """Run only the telephony bridge. No carrier can be configured yet; it says so."""
    import asyncio

    from switchboard.process import run_until_stopped
    from telephony_bridge.bridge import run_bridge

    redis_url = _process(data_dir).required_redis_url()
    asyncio.run(run_until_stopped(lambda stop: run_bridge(redis_url, "local-1", stop)))


@app.command()
def migrate(data_dir: DataDir = None) -> None:
    """Bring the database at SWITCHBOARD_DATABASE_URL to the current schema. Safe to repeat."""
    from control_plane.migrate import migrate as run_migrations

    run_migrations(_process(data_dir).required_database_url())


@encryption.command()
def rotate(data_dir: DataDir = None) -> None:
    """Seal every stored secret anew under the first of SWITCHBOARD_ENCRYPTION_KEYS.

    To change the key: put the new one before the old one and restart everything; run this, again
    until it seals nothing anew; take the old one out and restart everything, when the calls that
    run have ended. Exit code 1 if a secret cannot be opened with any of the keys.
    """
    from switchboard.encryption import run_rotation

    settings = _settings(data_dir)
    _log_to_file(settings, "encryption")
    raise typer.Exit(run_rotation(settings, typer.echo))


@app.command(hidden=True)
def health(name: ProcessName) -> None:
    """Exit with 0 when the process serves: a container's health check."""
    import asyncio

    from switchboard.health import is_healthy

    if not asyncio.run(is_healthy(name, _settings(None))):
        raise typer.Exit(1)


def main() -> None:
    """The ``switchboard`` command."""
    from switchboard.settings import MissingSetting

    try:
        app()
    except MissingSetting as missing:
        typer.echo(f"{missing}. `switchboard up` sets everything on one machine.", err=True)
        sys.exit(2)


def _process(data_dir: Path | None, port: int | None = None) -> Settings:
    """For a process of the system: its logs go to standard error, and it ends with its parent."""
    from switchboard.logs import configure_logging
    from switchboard.parent_watch import end_with_parent

    settings = _settings(data_dir, port=port)
    configure_logging(settings.log_level, settings.log_format)
    end_with_parent()
    return settings


def _log_to_file(settings: Settings, name: str) -> None:
    """A command that talks to a person keeps its own log out of the way."""
    from switchboard.logs import configure_logging

    directory = settings.data_dir / "logs"
    directory.mkdir(parents=True, exist_ok=True)
    configure_logging(settings.log_level, "json", (directory / f"{name}.log").open("a"))
