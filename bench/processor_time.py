"""Which processes run where, and how much processor time they have used."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")


def descendants(of: int) -> list[int]:
    """Every process that ``of`` has started, at whatever distance."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (fields := _stat(int(entry.name))):
            children.setdefault(int(fields[1]), []).append(int(entry.name))
    found: list[int] = []
    waiting = [of]
    while waiting:
        below = children.get(waiting.pop(), [])
        found += below
        waiting += below
    return found


def command_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


def used_seconds(pids: Iterable[int]) -> float:
    """Processor time of the processes and of those that they have waited for."""
    fields = filter(None, map(_stat, pids))
    return sum(sum(map(int, each[11:15])) for each in fields) / _TICKS_PER_SECOND


def pin(pids: Iterable[int], cores: set[int]) -> None:
    """Let the processes, their threads and whatever they start run on ``cores`` only."""
    for pid in pids:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), cores)


def _stat(pid: int) -> list[str]:
    """The fields of ``/proc/<pid>/stat`` from the third on; empty when the process is gone."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return []
    return text.rpartition(")")[2].split()
