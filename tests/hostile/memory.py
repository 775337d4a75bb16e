"""How the memory of each process moves during the attack. Pure, but for reading it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

MOST_GROWTH_MIB = 100
"""Over the whole attack, after the warm-up."""
NOISE_MIB = 12
"""By which a process that keeps nothing may be larger at the end than in the middle. The hostile
caller is in three calls at a time or in none, and each takes a worker 2 to 4 MiB while it lasts."""
SHOWN = 9
_MIB_A_PAGE = os.sysconf("SC_PAGE_SIZE") / 2**20


@dataclass
class Memory:
    """Resident memory in MiB, by process and pid, at equal distances in time."""

    samples: list[Mapping[str, float]] = field(default_factory=list)

    def note(self, pids: Mapping[str, int]) -> None:
        found = {f"{name} ({pid})": _resident_mib(pid) for name, pid in pids.items()}
        self.samples.append({name: mib for name, mib in found.items() if mib is not None})

    def table(self) -> list[str]:
        """One line for each process: a few samples over time."""
        if not self.samples:
            return ["memory: the attack was over before it could be judged"]
        last = len(self.samples) - 1
        places = sorted({round(last * number / (SHOWN - 1)) for number in range(SHOWN)})
        return [
            f"memory of {name}: "
            + " ".join(f"{self.samples[at].get(name, 0.0):.0f}" for at in places)
            + f" MiB, {self._middle(name):+.0f} in the first half and {self._end(name):+.0f} after"
            for name in self._present
        ]

    def faults(self) -> list[str]:
        """Processes that grow, and those that were not there all the time.

        What fills once, such as caches and heaps, grows less and less. So a process may grow in the
        second half of the attack by no more than it grew within the first, or by ``NOISE_MIB``: of
        a steady leak, the second half shows twice as much, because it is counted from the middle
        of the first half.
        """
        if not self.samples:
            return []
        gone = {name for sample in self.samples for name in sample} - set(self._present)
        return [
            *(f"{name} was started again" for name in sorted(gone)),
            *(
                f"{name} grew by {self._total(name):.0f} MiB"
                for name in self._present
                if self._total(name) > MOST_GROWTH_MIB
            ),
            *(
                f"{name} goes on growing: {self._end(name):+.0f} MiB in the second half"
                for name in self._present
                if self._end(name) > max(NOISE_MIB, self._middle(name))
            ),
        ]

    @property
    def _present(self) -> list[str]:
        """In every sample."""
        return [name for name in self.samples[0] if all(name in sample for sample in self.samples)]

    def _total(self, name: str) -> float:
        return self.samples[-1][name] - self.samples[0][name]

    def _middle(self, name: str) -> float:
        """From the first quarter to the second."""
        return self._quarter(name, 1) - self._quarter(name, 0)

    def _end(self, name: str) -> float:
        """From the second quarter to the last."""
        return self._quarter(name, 3) - self._quarter(name, 1)

    def _quarter(self, name: str, number: int) -> float:
        """The median there, because single samples meet calls that come and go."""
        count = len(self.samples)
        part = self.samples[count * number // 4 : max(count * (number + 1) // 4, 1)]
        return median(sample[name] for sample in part or self.samples[-1:])


def _resident_mib(pid: int) -> float | None:
    """``None``: it has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _MIB_A_PAGE
    except (FileNotFoundError, ProcessLookupError):
        return None
