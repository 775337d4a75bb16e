"""The commands that run one process of the system each, and the one that asks if it serves."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from control_plane.platform.job_roles import TENANTS_ROLES, JobRole, endangers_events
from switchboard.commands.options import DataDir, Port
from switchboard.commands.settings import command_settings
from switchboard.processes.open_files import raise_open_files_limit
from switchboard.processes.process import Work, importing, run_watched
from telemetry.process_name import ProcessName

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
    """Run only the API. It needs SWITCHBOARD_REDIS_URL, SWITCHBOARD_SECRET_KEY, and the database's
    logins: SWITCHBOARD_APP_DATABASE_URL and SWITCHBOARD_SYSTEM_DATABASE_URL."""
    with importing():
        from switchboard.processes.api_process import run_api

    settings = refuse_old_redis(_process_settings(data_dir, port=port))
    with _port_refused():
        run_api(settings, fd)


@app.command()
def jobs(
    data_dir: DataDir = None,
    only: Annotated[
        list[JobRole] | None,
        typer.Option(help="Do only this part of the work; repeat it for several parts."),
    ] = None,
) -> None:
    """Run only the jobs: apply call events, end lost calls, run background jobs. Without --only,
    two processes share them. They need the same settings as the API."""
    if only:
        _jobs(data_dir, frozenset(only))
    else:
        _all_jobs(data_dir)


def _jobs(data_dir: Path | None, roles: frozenset[JobRole]) -> None:
    if endangers_events(roles):
        others = ", ".join(sorted(TENANTS_ROLES & roles))
        typer.echo(
            "Not started: what tenants wrote may end a process, and events must still be applied. "
            f"Do {others} in a process of its own, and events in another one.",
            err=True,
        )
        raise typer.Exit(1)
    with importing():
        from control_plane.jobs import run_jobs
        from switchboard.package_settings import control_plane_settings

    settings = refuse_old_redis(_process_settings(data_dir))
    control_plane = control_plane_settings(settings)
    _run(
        ProcessName.JOBS,
        settings,
        lambda stop, health: run_jobs(control_plane, stop, health, roles),
    )


def _all_jobs(data_dir: Path | None) -> None:
    with importing():
        from switchboard.package_settings import control_plane_settings
        from switchboard.processes.jobs_host import run_jobs_host

    settings = refuse_old_redis(_logging_settings(data_dir))
    control_plane_settings(settings)
    _run_host(settings, run_jobs_host)


def _run_host(settings: Settings, run: Callable[[Settings], int]) -> NoReturn:
    """Run a host of several processes until it ends."""
    from switchboard.listening import NoPort

    try:
        exit_code = run(settings)
    except NoPort as none_left:
        typer.echo(f"Not started: {none_left}.", err=True)
        exit_code = 1
    raise typer.Exit(exit_code)


@app.command()
def worker(data_dir: DataDir = None) -> None:
    """Run only media workers, one process for each core. SIGTERM drains them: their calls go on,
    they take no new ones."""
    with importing():
        from switchboard.package_settings import worker_settings
        from switchboard.processes.worker_host import run_worker_host

    settings = refuse_old_redis(_logging_settings(data_dir))
    worker_settings(settings)
    _run_host(settings, run_worker_host)


@app.command()
def bridge(data_dir: DataDir = None) -> None:
    """Run only the telephony bridge, which carriers reach at SWITCHBOARD_BRIDGE_PUBLIC_URL."""
    with importing():
        from switchboard.package_settings import bridge_settings
        from telephony_bridge.bridge import run_bridge

    settings = refuse_old_redis(_process_settings(data_dir))
    options = bridge_settings(settings, raise_open_files_limit())
    _run(
        ProcessName.BRIDGE,
        settings,
        lambda stop, health: run_bridge(options, stop, health=health),
    )


@app.command("control-plane", hidden=True)
def control_plane(
    channel: Annotated[int, typer.Option(help="Descriptor of the socket to the supervisor.")],
    data_dir: DataDir = None,
) -> None:
    """Fork the API, jobs and bridge processes of ``switchboard up``, which so share what they
    import. An orphan is recognised by its data directory."""
    from switchboard.processes.control_plane_host import run_control_plane_host

    run_control_plane_host(channel)


@app.command(hidden=True)
def models(data_dir: DataDir = None) -> None:
    """Run only the process with this machine's speech models, which serves its media workers."""
    with importing():
        from pipelines.engine.model_process.run import run_models
        from pipelines.engine.model_process.socket_path import models_socket

    settings = _process_settings(data_dir)
    socket_path = models_socket(settings.data_dir)
    _run(
        ProcessName.MODELS,
        settings,
        lambda stop, health: run_models(socket_path, stop, health),
    )


@app.command()
def migrate(data_dir: DataDir = None) -> None:
    """Bring the database at SWITCHBOARD_DATABASE_URL to the current schema, and create the logins
    of SWITCHBOARD_APP_DATABASE_URL and SWITCHBOARD_SYSTEM_DATABASE_URL. Safe to repeat."""
    with importing():
        from sqlalchemy.exc import OperationalError

        from control_plane.building.catalogue.load import CatalogueConflict
        from control_plane.migrate import DatabaseUnfit
        from control_plane.migrate import migrate as run_migrations
        from control_plane.migrations.logins import LoginNotPrepared
        from switchboard.commands.local_database import database_problem

    settings = _process_settings(data_dir)
    try:
        run_migrations(
            settings.required_database_url(),
            app_url=settings.app_database_url,
            system_url=settings.system_database_url,
        )
    except (DatabaseUnfit, LoginNotPrepared) as refused:
        typer.echo(str(refused), err=True)
        raise typer.Exit(1) from None
    except CatalogueConflict as conflict:
        typer.echo(
            f"This release's catalogue contradicts a price that is there: {conflict}. Load a file "
            "of your own with that price and a higher version (switchboard catalogue load FILE), "
            "and migrate again.",
            err=True,
        )
        raise typer.Exit(1) from None
    except OperationalError as error:
        typer.echo(str(database_problem(error)), err=True)
        raise typer.Exit(1) from None


@app.command(hidden=True)
def health(name: ProcessName) -> None:
    """Exit with 0 when the process is ready: a container's health check.

    It asks on the monitoring port, and the API on its own port if there is none.
    """
    import asyncio

    from switchboard.readiness import is_healthy

    if not asyncio.run(is_healthy(name, command_settings(None))):
        raise typer.Exit(1)


def _run(process: ProcessName, settings: Settings, work: Work) -> None:
    import asyncio

    from switchboard.package_settings import telemetry_options

    with _port_refused():
        asyncio.run(run_watched(process, telemetry_options(settings), work))


@contextlib.contextmanager
def _port_refused() -> Iterator[None]:
    from telemetry.monitoring_server import PortTaken
    from telephony_bridge.webhooks.server import PortTaken as BridgePortTaken

    try:
        yield
    except (PortTaken, BridgePortTaken) as taken:
        typer.echo(f"Not started: {taken}.", err=True)
        raise typer.Exit(1) from None


def _process_settings(data_dir: Path | None, port: int | None = None) -> Settings:
    """Also prepares this process: it logs to standard error and ends with its parent."""
    from switchboard.parent_watch import end_with_parent

    settings = _logging_settings(data_dir, port)
    end_with_parent()
    return settings


def _logging_settings(data_dir: Path | None, port: int | None = None) -> Settings:
    from switchboard.logs import configure_logging

    settings = command_settings(data_dir, port=port)
    configure_logging(settings.log_level, settings.log_format)
    return settings


def refuse_old_redis(settings: Settings) -> Settings:
    """A process waits for a server that is away, but with one that is too old it cannot work."""
    from link.server_version import ServerTooOld, server_version

    if settings.redis_url is not None:
        try:
            server_version(settings.redis_url)
        except ServerTooOld as problem:
            typer.echo(f"Not started: {problem}.", err=True)
            raise typer.Exit(1) from None
    return settings
