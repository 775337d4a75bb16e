"""The commands that run one process of the system each, and the one that asks if it serves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from switchboard.commands.options import DataDir, Port
from switchboard.commands.settings import command_settings
from switchboard.process import ProcessName, importing, run_until_stopped

if TYPE_CHECKING:
    from switchboard.settings import Settings

app = typer.Typer()


@app.command()
def api(
    data_dir: DataDir = None,
    port: Port = None,
    fd: Annotated[
        int | None, typer.Option(help="Serve on this inherited listening socket.", hidden=True)
    ] = None,
) -> None:
    """Run only the API (needs SWITCHBOARD_DATABASE_URL, _REDIS_URL and _SECRET_KEY)."""
    with importing():
        from switchboard.api_process import run_api

    settings = _process_settings(data_dir, port=port)
    run_api(settings, fd)


@app.command()
def jobs(data_dir: DataDir = None) -> None:
    """Run only the jobs process: applies call events, ends lost calls, runs background jobs."""
    import asyncio

    with importing():
        from control_plane.jobs import run_jobs

    settings = _process_settings(data_dir).control_plane()
    asyncio.run(run_until_stopped(lambda stop: run_jobs(settings, stop)))


@app.command()
def worker(data_dir: DataDir = None) -> None:
    """Run only a media worker. SIGTERM drains it: its calls go on, it takes no new ones."""
    import asyncio

    with importing():
        from runtime.journal.store import JournalsInUse
        from runtime.link.worker_identity import WorkerIdInUse
        from runtime.worker import run_worker

    settings = _process_settings(data_dir)
    try:
        asyncio.run(
            run_until_stopped(
                lambda stop: run_worker(settings.worker(), settings.providers(), stop)
            )
        )
    except (JournalsInUse, WorkerIdInUse) as refused:
        typer.echo(f"Not started: {refused}.", err=True)
        raise typer.Exit(1) from None


@app.command()
def bridge(data_dir: DataDir = None) -> None:
    """Run only the telephony bridge. No carrier can be configured yet; its log says so."""
    import asyncio

    with importing():
        from telephony_bridge.bridge import run_bridge

    redis_url = _process_settings(data_dir).required_redis_url()
    asyncio.run(run_until_stopped(lambda stop: run_bridge(redis_url, "local-1", stop)))


@app.command()
def migrate(data_dir: DataDir = None) -> None:
    """Bring the database at SWITCHBOARD_DATABASE_URL to the current schema. Safe to repeat."""
    with importing():
        from control_plane.migrate import migrate as run_migrations

    run_migrations(_process_settings(data_dir).required_database_url())


@app.command(hidden=True)
def health(name: ProcessName) -> None:
    """Exit with 0 when the process serves: a container's health check."""
    import asyncio

    from switchboard.readiness import is_healthy

    if not asyncio.run(is_healthy(name, command_settings(None))):
        raise typer.Exit(1)


def _process_settings(data_dir: Path | None, port: int | None = None) -> Settings:
    """Also prepares this process: it logs to standard error and ends with its parent."""
    from switchboard.logs import configure_logging
    from switchboard.parent_watch import end_with_parent

    settings = command_settings(data_dir, port=port)
    configure_logging(settings.log_level, settings.log_format)
    end_with_parent()
    return settings
