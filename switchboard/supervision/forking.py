"""Processes that are forked from one without threads and without an event loop."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import NoReturn

from switchboard.parent_watch import PARENT_FD, ParentPipe

STOPPING = (signal.SIGTERM, signal.SIGINT)
_HANDLED = (*STOPPING, signal.SIGCHLD)


def forked(run: Callable[[], int], own: ParentPipe) -> int:
    """Call ``run`` in a new process, which ends with the exit code that it returns. Call this
    within ``woken_by_signals``.

    Args:
        own: the pipe by which the new process notices the end of this one.

    Returns:
        The id of the new process.

    Raises:
        OSError: the machine has no room for another process now.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    # A signal between the fork and the child's own handlers would be lost.
    signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED)
    try:
        pid = os.fork()
        if pid == 0:
            _become(run, own)
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDLED)
    return pid


def _become(run: Callable[[], int], own: ParentPipe) -> NoReturn:
    """Nothing of the host may run in a child."""
    exit_code = 1
    try:
        signal.set_wakeup_fd(-1)
        for number in _HANDLED:
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDLED)
        # Ctrl-C in a terminal reaches the host, which passes it on once.
        os.setpgid(0, 0)
        own.keep_read_end()
        os.environ[PARENT_FD] = str(own.read_fd)
        exit_code = run()
    except KeyboardInterrupt:
        exit_code = 0
    except SystemExit as ended:
        exit_code = _code_of(ended)
    except Exception:  # noqa: BLE001 - the process ends with it, as any program does
        traceback.print_exc()
    finally:
        with contextlib.suppress(OSError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(exit_code)


def _code_of(ended: SystemExit) -> int:
    if ended.code is None:
        return 0
    return ended.code if isinstance(ended.code, int) else 1


@contextlib.contextmanager
def woken_by_signals() -> Iterator[int]:
    """A descriptor that reads the numbers of the signals that came: of ``STOPPING``, and
    ``SIGCHLD``."""
    read_fd, write_fd = os.pipe()
    os.set_blocking(write_fd, False)
    before = {number: signal.signal(number, _noted) for number in _HANDLED}
    signal.set_wakeup_fd(write_fd)
    try:
        yield read_fd
    finally:
        signal.set_wakeup_fd(-1)
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(read_fd)
        os.close(write_fd)


def _noted(_number: int, _frame: object) -> None:
    """Python writes the signal to the descriptor only if there is a handler."""
