"""What an event loop reports when there are no file descriptors for new connections."""

from __future__ import annotations

import asyncio
import errno
from typing import Any

import structlog

from listeners.connection_room import OncePerSecond

_log = structlog.get_logger(__name__)


class AcceptFailures:
    """The event loop's exception handler. The loop retries every second to accept connections that
    it has no file descriptors for, and reports each of them: here that is one line a second."""

    _OUT_OF_FILES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})

    def __init__(self, reports: OncePerSecond | None = None) -> None:
        self._reports = reports or OncePerSecond()

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        is_accepting = str(context.get("message", "")).startswith("socket.accept()")
        if not (is_accepting and isinstance(error, OSError) and error.errno in self._OUT_OF_FILES):
            loop.default_exception_handler(context)
            return
        if (counted := self._reports.count()) is not None:
            _log.error("connections_not_accepted", reason=error.strerror, since_last_line=counted)
