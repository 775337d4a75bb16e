"""A ``switchboard up`` under test: of this build or of another, on all cores or on some."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench.density.condition import Condition
from bench.processor_time import descendants, pin, used_seconds
from bench.vendors.vendors_process import Vendors
from tests.e2e.up import Up

_FEWEST_SLOTS = 8


@dataclass(frozen=True)
class Usage:
    """Processor time in seconds, since the start of each process."""

    workers: float
    models: float
    others: float
    """API, jobs, PostgreSQL, Valkey and the rest."""

    def __sub__(self, before: Usage) -> Usage:
        return Usage(
            self.workers - before.workers,
            self.models - before.models,
            self.others - before.others,
        )


class Installation:
    def __init__(self, up: Up) -> None:
        self.up = up
        pids = up.state.pids
        self._workers = [pid for name, pid in pids.items() if name.startswith("worker-")]
        self._models = [pid for name, pid in pids.items() if name == "models"]

    def usage(self) -> Usage:
        everything = used_seconds([self.up.process.pid, *descendants(self.up.process.pid)])
        workers, models = used_seconds(self._workers), used_seconds(self._models)
        return Usage(workers, models, everything - workers - models)

    def workers_memory_mb(self) -> float:
        """Resident, with what forked processes share counted in each of them."""
        bytes_of_each = [int(psutil.Process(pid).memory_info().rss) for pid in self._workers]
        return sum(bytes_of_each) / 2**20

    def keep_apart(self, cores: int, others: list[int]) -> None:
        """The workers and the models run on the first ``cores``, all else on the others."""
        everywhere = os.sched_getaffinity(0)
        own = set(sorted(everywhere)[:cores])
        rest = [self.up.process.pid, *descendants(self.up.process.pid), *others]
        pin(rest, everywhere - own or everywhere)
        pin([*self._workers, *self._models], own)


@contextmanager
def installed(
    data_dir: Path, condition: Condition, vendors: Vendors | None, old: Path | None
) -> Iterator[Installation]:
    """``old``: the checkout of the old build."""
    environment = {
        "SWITCHBOARD_SLOTS": str(max(_FEWEST_SLOTS, condition.calls)),
        "SWITCHBOARD_WORKER_PROCESSES": str(condition.processes),
        **(vendors.settings if vendors else {}),
    }
    up = Up(data_dir, environment=environment, checkout=old if condition.build == "old" else None)
    try:
        up.wait_until_started()
        yield Installation(up)
    finally:
        up.end()
