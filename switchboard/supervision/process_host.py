"""One process that forks others, starts those again that end, and passes signals on.

Forked processes share the memory of what their host has imported, and start in a tenth of a second.
The host has no threads and no event loop: a fork copies neither.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from switchboard.parent_watch import PARENT_FD, ParentPipe
from switchboard.supervision.backoff import Backoff

REFUSED = 78
"""Exit code of a process that cannot run as it was started (``EX_CONFIG`` of ``sysexits.h``). At
its first start the host then ends all parts. Later, it is started again as after a crash: what
stands in its way may be what the crash left behind, and the other parts have work."""

_STOPPING = (signal.SIGTERM, signal.SIGINT)
_HANDLED = (*_STOPPING, signal.SIGCHLD)
_PARENT_GRACE_SECONDS = 2.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Part:
    """What one forked process does."""

    name: str
    run: Callable[[], int]
    """Called in the new process. Returns its exit code."""
    serves_others: bool = False
    """It is stopped when all other parts are over, and not before."""


@dataclass
class _Place:
    part: Part
    backoff: Backoff = field(default_factory=Backoff)
    pid: int | None = None
    starts: int = 0
    started_at: float = 0.0
    due_at: float | None = None
    """When the process is started again."""


class ProcessHost:
    """SIGTERM and SIGINT go to every part that serves no other, and no part is started again after
    them, except those that serve what still runs.

    Args:
        on_change: gets the process ids by name whenever a part was started or has ended.
        parent_fd: a pipe that ends with this host's own parent; all parts then end as with SIGINT.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        on_change: Callable[[Mapping[str, int]], None],
        parent_fd: int | None = None,
    ) -> None:
        self._places = [_Place(part) for part in parts]
        self._on_change = on_change
        self._parent_fd = parent_fd
        self._own = ParentPipe()
        self._stopping = False
        self._servants_told = False
        self._exit_code = 0

    @property
    def pids(self) -> Mapping[str, int]:
        """Of the parts that run."""
        return {each.part.name: each.pid for each in self._places if each.pid is not None}

    def run(self) -> int:
        """Return when every part is over: 0, or 1 if a part refused to run. Call it in the main
        thread of a process without other threads."""
        with _woken_by_signals() as wake_fd:
            for place in self._places:
                self._start(place)
            while self.pids or not self._stopping:
                for number in self._wait(wake_fd):
                    if number in _STOPPING:
                        self._stop(number)
                self._reap()
                self._start_due()
                if self._stopping and not any(self._main()) and not self._servants_told:
                    self._end_servants()
        self._own.close()
        return self._exit_code

    def _wait(self, wake_fd: int) -> list[int]:
        """Until a signal comes, the parent ends or a part is due. Returns the signals."""
        due = [each.due_at for each in self._places if each.due_at is not None]
        timeout = max(0.0, min(due) - time.monotonic()) if due else None
        watched = [wake_fd] if self._parent_fd is None else [wake_fd, self._parent_fd]
        ready, _, _ = select.select(watched, [], [], timeout)
        if self._parent_fd in ready:
            self._end_with_parent()
        return list(os.read(wake_fd, 512)) if wake_fd in ready else []

    def _main(self) -> Iterator[int]:
        """The processes that serve no other."""
        return (
            each.pid
            for each in self._places
            if each.pid is not None and not each.part.serves_others
        )

    def _stop(self, number: int) -> None:
        self._stopping = True
        for place in self._places:
            if not place.part.serves_others:
                place.due_at = None
        for pid in self._main():
            os.kill(pid, number)

    def _end_servants(self) -> None:
        self._servants_told = True
        for place in self._places:
            place.due_at = None
            if place.pid is not None:
                os.kill(place.pid, signal.SIGTERM)

    def _end_with_parent(self) -> None:
        for pid in self.pids.values():
            os.kill(pid, signal.SIGINT)
        deadline = time.monotonic() + _PARENT_GRACE_SECONDS
        while self.pids and time.monotonic() < deadline:
            time.sleep(0.02)
            self._reap()
        # What still runs sees the end of this host.
        os._exit(1)

    def _reap(self) -> None:
        for place in self._places:
            if place.pid is None:
                continue
            pid, status = os.waitpid(place.pid, os.WNOHANG)
            if pid:
                place.pid = None
                self._ended(place, os.waitstatus_to_exitcode(status))

    def _ended(self, place: _Place, exit_code: int) -> None:
        if exit_code == REFUSED and place.starts == 1:
            self._exit_code = 1
            self._stop(signal.SIGTERM)
        elif not self._stopping or (place.part.serves_others and any(self._main())):
            now = time.monotonic()
            place.due_at = now + place.backoff.after(now - place.started_at)
            log.warning("process ended", process=place.part.name, exit_code=exit_code)
        self._on_change(self.pids)

    def _start_due(self) -> None:
        now = time.monotonic()
        for place in self._places:
            if place.due_at is not None and place.due_at <= now:
                self._start(place)

    def _start(self, place: _Place) -> None:
        sys.stdout.flush()
        sys.stderr.flush()
        # A signal between the fork and the child's own handlers would be lost.
        signal.pthread_sigmask(signal.SIG_BLOCK, _HANDLED)
        pid = os.fork()
        if pid == 0:
            self._become(place.part)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDLED)
        place.pid, place.started_at, place.due_at = pid, time.monotonic(), None
        place.starts += 1
        self._on_change(self.pids)

    def _become(self, part: Part) -> None:
        """Never returns: nothing of the host may run in a child."""
        exit_code = 1
        try:
            signal.set_wakeup_fd(-1)
            for number in _HANDLED:
                signal.signal(number, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, _HANDLED)
            # Ctrl-C in a terminal reaches the host, which passes it on once.
            os.setpgid(0, 0)
            self._own.keep_read_end()
            os.environ[PARENT_FD] = str(self._own.read_fd)
            exit_code = part.run()
        except KeyboardInterrupt:
            exit_code = 0
        except SystemExit as ended:
            exit_code = ended.code if isinstance(ended.code, int) else 1
        except Exception:  # noqa: BLE001 - the process ends with it, as any program does
            traceback.print_exc()
        finally:
            with contextlib.suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(exit_code)


@contextlib.contextmanager
def _woken_by_signals() -> Iterator[int]:
    """A descriptor that reads the numbers of the signals that came."""
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
