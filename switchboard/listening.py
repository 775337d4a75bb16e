"""The socket that the API listens on, held by the supervisor.

It stays open while the API restarts: a client that connects meanwhile waits a moment instead of
being refused, and no other program can take the port.
"""

from __future__ import annotations

import errno
import socket

import psutil

OPEN_PORTS = (
    "Choose one from 1024 on with --port or SWITCHBOARD_PORT, and put a proxy in front of it."
)
"""What to do where only root may listen."""
_PORTS_TRIED = 50


class NoPort(RuntimeError):
    """No port of the address can be listened on."""


def listen(host: str, port: int) -> socket.socket:
    """A listening socket on ``port``, or on the next free one after it. Raises ``NoPort``, also if
    this user may not listen on ``port``."""
    for candidate in range(port, min(port + _PORTS_TRIED, 65536)):
        try:
            return _bind(host, candidate)
        except OSError as error:
            if error.errno == errno.EACCES and candidate == port:
                raise NoPort(
                    f"this user may not listen on port {port} ({error.strerror}). {OPEN_PORTS}"
                ) from error
            if error.errno not in (errno.EADDRINUSE, errno.EACCES):
                raise NoPort(f"cannot listen on {host}: {error.strerror}") from error
    try:
        return _bind(host, 0)
    except OSError as error:
        raise NoPort(f"cannot listen on {host}: {error.strerror}") from error


def _bind(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener


def user_of(port: int) -> str:
    """The program that listens on ``port``, if we may know it: ``nginx, process 812``."""
    try:
        for connection in psutil.net_connections(kind="tcp"):
            if connection.status == psutil.CONN_LISTEN and connection.laddr.port == port:
                if connection.pid is None:
                    break
                return f"{psutil.Process(connection.pid).name()}, process {connection.pid}"
    except psutil.Error:
        # On macOS only root sees the sockets of other users.
        pass
    return "another program"
