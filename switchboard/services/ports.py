"""TCP ports on the loopback interface."""

from __future__ import annotations

import socket

LOOPBACK = "127.0.0.1"


def is_free(port: int, host: str = LOOPBACK) -> bool:
    """Whether a server could listen on ``port`` now.

    Raises:
        PermissionError: not one of this user.
    """
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # Servers set this option, too: a port with old connections in TIME_WAIT counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except PermissionError:
            raise
        except OSError:
            return False
    return True


def free_port() -> int:
    """A port that was free a moment ago, chosen by the operating system."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


class ServerPort:
    """The port of an embedded server: the given one, or a free one.

    Another program may take a free port before the server does. So it is chosen again for each
    attempt, until the server has run on it.
    """

    def __init__(self, given: int | None) -> None:
        self._given = given
        self._chosen: int | None = None
        self._is_settled = False

    @property
    def number(self) -> int:
        """Raises ``RuntimeError`` before the first attempt."""
        port = self._given or self._chosen
        if port is None:
            raise RuntimeError("the port is not chosen before the server is prepared")
        return port

    def choose(self) -> None:
        """Call it before each attempt to start the server."""
        if not self._is_settled:
            self._chosen = free_port()

    def settle(self) -> None:
        """The server runs on it, and clients know the address."""
        self._is_settled = True
