"""One machine's Switchboard: its processes, and the order in which they start and stop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import stat
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from contracts.sealing import bridge_key
from control_plane.platform.job_roles import PLATFORM_ROLES, TENANTS_ROLES
from switchboard.listening import listen, user_of
from switchboard.migration_stamp import is_migrated, stamp
from switchboard.parent_watch import ParentPipe
from switchboard.processes.process_commands import ProcessCommands
from switchboard.processes.settings_by_process import port_after, settings_of_worker
from switchboard.progress import Progress
from switchboard.readiness import (
    ReadinessCheck,
    RedisReadiness,
    http_ready,
    server_ready,
    started,
)
from switchboard.services.command import Command
from switchboard.services.directory_lock import DirectoryInUse, DirectoryLock
from switchboard.services.embedded_server import EmbeddedServer, log_tail
from switchboard.services.orphans import end, orphan
from switchboard.services.postgres import APP_LOGIN, SYSTEM_LOGIN, PostgresServer
from switchboard.services.valkey import ValkeyServer
from switchboard.settings import Settings
from switchboard.state import (
    State,
    kept_secrets,
    read_state,
    write_secrets,
    write_state,
)
from switchboard.supervision.child import Child, ChildSpec
from switchboard.supervision.forks import Forks
from switchboard.supervision.launch import Launch, executed
from switchboard.supervision.supervisor import Supervisor

STORES, CONTROL_PLANE, MEDIA = 0, 1, 2
"""Ranks: media workers stop first, while the processes that record their calls' ends still run."""

TENANTS_JOBS = "jobs-tenants"
"""The process that runs jobs on what tenants wrote."""
_FOLDERS = ("logs", "workers", "objects", "outbox", "valkey", "postgres")
"""What we keep in the data directory. Others in it may be somebody's own."""
_BRIDGE_ID = "local-1"
_OWNER_URL = "SWITCHBOARD_DATABASE_URL"

# Ctrl-C must stop everything within three seconds. These add up to less, also with the half second
# that the demo's caller has to leave its call.
_GRACE_SECONDS = {MEDIA: 1.0, CONTROL_PLANE: 0.4, STORES: 0.6}
_LEFTOVER_GRACE_SECONDS = 2.0


class AlreadyRunning(RuntimeError):
    """A supervisor runs on this data directory. ``state`` is ``None`` while it starts."""

    def __init__(self, state: State | None) -> None:
        where = f" (process {state.pids.get('up')}) at {state.api_url}" if state else ""
        super().__init__(f"Switchboard is already running{where}")
        self.state = state


class MigrationFailed(RuntimeError):
    """The database could not be brought to the current schema; the message ends with the log."""


@dataclass(frozen=True)
class RunningSystem:
    """A started Switchboard, ready for calls."""

    api_url: str
    operator_token: str
    data_dir: Path


@asynccontextmanager
async def running_system(settings: Settings, progress: Progress) -> AsyncIterator[RunningSystem]:
    """Run all processes for the length of the block, on ``settings.data_dir``.

    Call it in the main thread: on Linux children end with the thread that started them.

    Raises:
        AlreadyRunning: another supervisor runs on the same data directory.
        switchboard.supervision.child.ChildFailed: a process does not start.
        MigrationFailed, switchboard.listening.NoPort, switchboard.state.SecretsDamaged, and what
            the embedded servers' ``prepare`` raises.
    """
    data_dir = settings.data_dir.absolute()
    data_dir.mkdir(parents=True, exist_ok=True)
    # PostgreSQL's own user passes through this directory. Secret files inside have their own mode.
    data_dir.chmod(0o711)
    close_to_others(data_dir)
    lock = DirectoryLock(data_dir)
    try:
        lock.acquire()
    except DirectoryInUse:
        raise AlreadyRunning(read_state(data_dir)) from None
    try:
        await asyncio.to_thread(_end_leftovers, data_dir)
        with _listen(settings, progress) as listener:
            system = _System(settings, data_dir, listener, progress)
            try:
                await system.start()
                yield RunningSystem(system.api_url, system.secrets.operator_token, data_dir)
            finally:
                await system.stop()
    finally:
        lock.release()


class _System:
    def __init__(
        self, settings: Settings, data_dir: Path, listener: socket.socket, progress: Progress
    ) -> None:
        port = listener.getsockname()[1]
        self._settings = settings.model_copy(update={"port": port})
        self._data_dir = data_dir
        self._listener = listener
        self._progress = progress
        self._supervisor = Supervisor(data_dir / "logs", self._changed)
        self._started_at = datetime.now(UTC)
        self._servers: list[EmbeddedServer] = []
        self._parent = ParentPipe()
        self._monitoring_ports = monitoring_ports(self._settings)
        self._commands = ProcessCommands(data_dir, self._parent, listener.fileno())
        self._forks = Forks(self._commands.control_plane)
        self.api_url = self._settings.api_url
        self.secrets = kept_secrets(data_dir).model_copy(
            update={"database_url": settings.database_url, "redis_url": settings.redis_url}
        )

    async def start(self) -> None:
        """Start both halves at once: workers need only Valkey, the control plane both stores. What
        the control plane's processes import is imported while the stores start."""
        try:
            async with asyncio.TaskGroup() as halves:
                halves.create_task(self._start_forks())
                redis = halves.create_task(self._start_redis())
                halves.create_task(self._start_control_plane(redis))
                halves.create_task(self._start_workers(redis))
        except ExceptionGroup as failures:
            raise _first(failures) from None
        self._write_state()

    async def stop(self) -> None:
        await self._supervisor.stop(_GRACE_SECONDS)
        for server in self._servers:
            server.release()
        self._parent.close()

    async def _start_forks(self) -> None:
        """With the rank of the stores: it ends after all that it forked."""
        spec = ChildSpec("control-plane", self._forks.prepare, self._forks.is_ready)
        await self._supervisor.start(spec, STORES)

    async def _start_redis(self) -> str:
        if self._settings.redis_url is not None:
            return self._settings.redis_url
        server = ValkeyServer(self._data_dir / "valkey")
        with self._progress.step("Valkey"):
            await self._start_server(server)
        self._keep_secrets(redis_url=server.url)
        return server.url

    async def _start_postgres(self) -> Mapping[str, str]:
        """Returns the variables with which the control plane's processes connect to it."""
        if self._settings.database_url is not None:
            urls = _database_urls(
                self._settings.database_url,
                self._settings.app_database_url,
                self._settings.system_database_url,
            )
            with self._progress.step("Database schema"):
                await self._migrate(urls)
            return _without_owner(urls)
        server = PostgresServer(self._data_dir / "postgres")
        with self._progress.step("PostgreSQL"):
            await self._start_server(server)
        self._keep_secrets(database_url=server.url)
        urls = _database_urls(
            server.url, server.login_url(APP_LOGIN), server.login_url(SYSTEM_LOGIN)
        )
        if not await asyncio.to_thread(is_migrated, server.url):
            with self._progress.step("Database schema"):
                await self._migrate(urls)
                await asyncio.to_thread(stamp, server.url)
        return _without_owner(urls)

    async def _start_control_plane(self, redis: asyncio.Task[str]) -> None:
        database_urls, redis_url = await self._start_postgres(), await redis
        link = {"SWITCHBOARD_REDIS_URL": redis_url}
        control_plane: dict[str, str] = {
            **link,
            **database_urls,
            "SWITCHBOARD_SECRET_KEY": self.secrets.secret_key,
            "SWITCHBOARD_PUBLIC_URL": self.api_url,
        }
        operator = {"SWITCHBOARD_OPERATOR_TOKEN": self.secrets.operator_token}
        phones = {
            "SWITCHBOARD_BRIDGE_ID": _BRIDGE_ID,
            "SWITCHBOARD_BRIDGE_ACCOUNT_KEY": bridge_key(self.secrets.secret_key),
        }
        host, port = self._listener.getsockname()[:2]
        async with contextlib.aclosing(RedisReadiness(redis_url)) as seen:
            # The API first: a caller waits for it and for the media workers.
            for shown, command, check in (
                (
                    "API",
                    self._commands.api(control_plane | operator | self._monitoring("api")),
                    http_ready(host, port),
                ),
                *(
                    (
                        name.capitalize().replace("-", " "),
                        self._commands.jobs(
                            name, PLATFORM_ROLES, control_plane | self._monitoring(name)
                        ),
                        seen.jobs(),
                    )
                    for name in jobs_names(self._settings)
                ),
                (
                    "Telephony bridge",
                    self._commands.bridge(link | phones | self._monitoring("bridge")),
                    seen.bridge(_BRIDGE_ID),
                ),
                (
                    "Tenants' jobs",
                    self._commands.jobs(
                        TENANTS_JOBS, TENANTS_ROLES, control_plane | self._monitoring(TENANTS_JOBS)
                    ),
                    # No call waits for it.
                    started,
                ),
            ):
                await self._start_process(shown, command, check, CONTROL_PLANE, self._forks.launch)

    async def _start_workers(self, redis: asyncio.Task[str]) -> None:
        redis_url = await redis
        seen = RedisReadiness(redis_url)
        # Only the encryption keys: a worker opens tenants' secrets and signs nothing.
        settings = self._settings.model_copy(update={"secret_key": self.secrets.secret_key})
        encryption_keys = ",".join(settings.all_encryption_keys())
        environment = {
            "SWITCHBOARD_REDIS_URL": redis_url,
            "SWITCHBOARD_WORKER_ID": settings.worker_id,
            "SWITCHBOARD_WORKER_PROCESSES": str(settings.worker_processes),
            "SWITCHBOARD_ENCRYPTION_KEYS": encryption_keys,
        } | self._monitoring("worker-1")
        ids = [
            settings_of_worker(settings, number).worker_id
            for number in range(1, settings.worker_processes + 1)
        ]
        async with contextlib.aclosing(seen):
            await self._start_process(
                "Media workers", self._commands.workers(environment), seen.workers(ids), MEDIA
            )

    def _monitoring(self, process: str) -> dict[str, str]:
        port = self._monitoring_ports.get(process)
        return {} if port is None else {"SWITCHBOARD_MONITORING_PORT": str(port)}

    async def _start_server(self, server: EmbeddedServer) -> None:
        self._servers.append(server)
        spec = ChildSpec(server.name, server.prepare, server_ready(server))
        await self._supervisor.start(spec, STORES)

    async def _start_process(
        self,
        shown: str,
        command: Command,
        check: ReadinessCheck,
        rank: int,
        launch: Launch = executed,
    ) -> None:
        spec = ChildSpec(command.name, lambda: command, check, launch=launch)
        with self._progress.step(shown):
            await self._supervisor.start(spec, rank)

    async def _migrate(self, database_urls: Mapping[str, str]) -> None:
        command = self._commands.migrate(database_urls)
        log_path = self._data_dir / "logs" / "migrate.log"
        with log_path.open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                *command.argv, stdout=log, stderr=log, **command.popen_options()
            )
        if await process.wait() != 0:
            raise MigrationFailed(f"the database migration failed:\n{log_tail(log_path)}")

    def _keep_secrets(self, **addresses: str) -> None:
        self.secrets = self.secrets.model_copy(update=addresses)
        write_secrets(self._data_dir, self.secrets)

    def _changed(self, child: Child) -> None:
        if child.pid is None:
            self._progress.warn(
                f"{child.spec.name} ended (exit code {child.last_exit_code}), starting it again; "
                f"see {child.log_path}"
            )
        self._write_state()

    def _write_state(self) -> None:
        pids = {child.spec.name: child.pid for child in self._supervisor.children}
        write_state(
            self._data_dir,
            State(
                api_url=self.api_url,
                pids={"up": os.getpid()} | {name: pid for name, pid in pids.items() if pid},
                started_at=self._started_at,
                embedded=tuple(server.name for server in self._servers),
                monitoring_ports=self._monitoring_ports,
            ),
        )


def monitoring_ports(settings: Settings) -> dict[str, int]:
    """By process: one port after the other, from the one that is set on. Empty without one. Raises
    ``NoPort``."""
    workers = (f"worker-{number}" for number in range(1, settings.worker_processes + 1))
    first = settings.monitoring_port
    if first is None:
        return {}
    jobs, *more_jobs = jobs_names(settings)
    names = ("api", jobs, "bridge", *workers, "models", *more_jobs, TENANTS_JOBS)
    port_after(first, len(names) - 1, "SWITCHBOARD_MONITORING_PORT")
    return {name: first + n for n, name in enumerate(names)}


def jobs_names(settings: Settings) -> list[str]:
    """Of the jobs processes that apply events, at least one."""
    return ["jobs", *(f"jobs-{number}" for number in range(2, settings.jobs_processes + 1))]


def _database_urls(owner: str, app: str | None, system: str | None) -> Mapping[str, str]:
    urls = {
        _OWNER_URL: owner,
        "SWITCHBOARD_APP_DATABASE_URL": app,
        "SWITCHBOARD_SYSTEM_DATABASE_URL": system,
    }
    return {name: url for name, url in urls.items() if url is not None}


def _without_owner(urls: Mapping[str, str]) -> Mapping[str, str]:
    """For processes that serve: they get the owner's address only if they have no other."""
    if urls.keys() == {_OWNER_URL}:
        return urls
    return {name: url for name, url in urls.items() if name != _OWNER_URL}


def _first(failures: ExceptionGroup[Exception]) -> Exception:
    """The failure for which the rest was cancelled."""
    failure = failures.exceptions[0]
    return _first(failure) if isinstance(failure, ExceptionGroup) else failure


def close_to_others(data_dir: Path) -> None:
    """Our own folders below, which earlier releases made for everybody to read."""
    for name in _FOLDERS:
        folder = data_dir / name
        with contextlib.suppress(FileNotFoundError):
            status = folder.lstat()
            if stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid():
                folder.chmod(0o700)


def _listen(settings: Settings, progress: Progress) -> socket.socket:
    listener = listen(settings.host, settings.port)
    port = listener.getsockname()[1]
    if port != settings.port:
        progress.warn(
            f"Port {settings.port} is in use ({user_of(settings.port)}); using {port} instead."
        )
    return listener


def _end_leftovers(data_dir: Path) -> None:
    """End our processes that outlived a killed supervisor. The servers end their own leftovers."""
    state = read_state(data_dir)
    for pid in state.pids.values() if state else ():
        if process := orphan(pid, "switchboard", str(data_dir)):
            end(process, signal.SIGINT, _LEFTOVER_GRACE_SECONDS)
