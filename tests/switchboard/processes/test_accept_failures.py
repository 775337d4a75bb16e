from __future__ import annotations

import asyncio
import errno

from structlog.testing import capture_logs

from listeners.connection_room import OncePerSecond
from switchboard.processes.accept_failures import AcceptFailures


def test_failures_to_accept_are_one_line_a_second() -> None:
    clock = iter([0.0] * 1_000 + [0.4] * 1_000 + [0.9] * 1_000 + [1.0] * 1_000)
    others = list[dict[str, object]]()
    failures = AcceptFailures(OncePerSecond(lambda: next(clock)))

    class Loop(asyncio.SelectorEventLoop):
        def default_exception_handler(self, context: dict[str, object]) -> None:
            others.append(context)

    loop = Loop()
    full = {
        "message": "socket.accept() out of system resource",
        "exception": OSError(errno.EMFILE, "Too many open files"),
    }
    with capture_logs() as lines:
        for _ in range(4_000):
            failures(loop, full)
    loop.close()
    assert [line["since_last_line"] for line in lines] == [1, 3_000]
    failures(loop, {"message": "Task exception was never retrieved"})
    assert len(others) == 1, "other errors are reported as before"
