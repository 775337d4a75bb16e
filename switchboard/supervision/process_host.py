"""One process that forks others, starts those again that end, and passes signals on.

Forked processes share the memory of what their host has imported, and start in a tenth of a second.
The host has no threads and no event loop: a fork copies neither.
"""

from __future__ import annotations

import os
import select
import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import structlog

from switchboard.parent_watch import ParentPipe
from switchboard.supervision.forking import STOPPING, forked, woken_by_signals
from switchboard.supervision.restarts import Restarts

REFUSED = 78
"""Exit code of a process that cannot run as it was started (``EX_CONFIG`` of ``sysexits.h``). At
its first start the host then ends all parts. Later, it is started again as after a crash: what
stands in its way may be what the crash left behind, and the other parts have work."""

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
    restarts: Restarts = field(default_factory=Restarts)
    pid: int | None = None


class ProcessHost:
    """SIGTERM and SIGINT go to every part that serves no other, and no part is started again after
    them, except those that serve what still runs.

    Args:
        on_change: gets the process ids by name whenever a part was started or has ended.
        parent_fd: a pipe that ends with this host's own parent; all parts then end as with SIGINT.
        prepare: called once, when the parts that serve others begin, and before the others do: what
            it imports is shared by these.
    """

    def __init__(
        self,
        parts: Sequence[Part],
        on_change: Callable[[Mapping[str, int]], None],
        parent_fd: int | None = None,
        prepare: Callable[[], None] = lambda: None,
    ) -> None:
        self._places = [_Place(part) for part in parts]
        self._on_change = on_change
        self._parent_fd = parent_fd
        self._prepare = prepare
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
        with woken_by_signals() as wake_fd:
            for place in self._places:
                if place.part.serves_others:
                    self._start(place)
            self._prepare()
            for place in self._places:
                if not place.part.serves_others:
                    self._start(place)
            while self.pids or not self._stopping:
                for number in self._wait(wake_fd):
                    if number in STOPPING:
                        self._stop(number)
                self._reap()
                self._start_due()
                if self._stopping and not any(self._main()) and not self._servants_told:
                    self._end_servants()
        self._own.close()
        return self._exit_code

    def _wait(self, wake_fd: int) -> list[int]:
        """Until a signal comes, the parent ends or a part is due. Returns the signals."""
        waits = [each.restarts.wait_seconds for each in self._places]
        timeout = min((each for each in waits if each is not None), default=None)
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
                place.restarts.never()
        for pid in self._main():
            os.kill(pid, number)

    def _end_servants(self) -> None:
        self._servants_told = True
        for place in self._places:
            place.restarts.never()
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
        if exit_code == REFUSED and place.restarts.starts == 1:
            self._exit_code = 1
            self._stop(signal.SIGTERM)
        elif not self._stopping or (place.part.serves_others and any(self._main())):
            place.restarts.ended()
            log.warning("process ended", process=place.part.name, exit_code=exit_code)
        self._on_change(self.pids)

    def _start_due(self) -> None:
        for place in self._places:
            if place.restarts.wait_seconds == 0.0:
                self._start(place)

    def _start(self, place: _Place) -> None:
        try:
            place.pid = forked(place.part.run, self._own)
        except OSError as error:
            # For want of memory or of processes. The other parts have work.
            place.restarts.failed()
            log.warning("process not started", process=place.part.name, error=str(error))
            return
        place.restarts.started()
        self._on_change(self.pids)
