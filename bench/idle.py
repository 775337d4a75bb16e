"""What an installation without calls costs: each process's share of a core, and the time from its
start until it is ready, the first time and again.

    python -m bench.idle [--seconds 40]

All processes together may take 2 % of a core, and the second start, when the machine is warm, 5 s.
Exits with 1 if one of the two takes more.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.limits import Figure, judge
from bench.processor_time import descendants, used_seconds
from tests.e2e.up import Up
from tests.short_directory import short_directory

MOST_PERCENT = 2.0
"""Of a core, for all processes."""
READY_WITHIN_SECONDS = 5.0
"""On a warm machine."""
SETTLING_SECONDS = 20.0
"""After the start, in which processes do what they do once."""


@dataclass(frozen=True)
class Idle:
    percent: Mapping[str, float]
    """Of a core, by process."""
    first_seconds: float
    again_seconds: float

    def figures(self) -> list[Figure]:
        return [
            Figure("all processes", sum(self.percent.values()), MOST_PERCENT, " % of a core"),
            Figure("started again, ready after", self.again_seconds, READY_WITHIN_SECONDS, " s"),
        ]


def processor_seconds(up: Up) -> dict[str, float]:
    """By process; PostgreSQL with its children, and what has no name of its own as "others"."""
    pids = up.state.pids
    seconds = {
        name: used_seconds([pid, *descendants(pid)] if name == "postgres" else [pid])
        for name, pid in pids.items()
    }
    everything = used_seconds([up.process.pid, *descendants(up.process.pid)])
    return seconds | {"others": everything - sum(seconds.values())}


def start(data_dir: Path) -> tuple[Up, float]:
    began_at = time.monotonic()
    up = Up(data_dir).wait_until_started()
    return up, time.monotonic() - began_at


def measure(data_dir: Path, seconds: float) -> Idle:
    up, first_seconds = start(data_dir)
    try:
        time.sleep(SETTLING_SECONDS)
        before, began_at = processor_seconds(up), time.monotonic()
        time.sleep(seconds)
        after, took_seconds = processor_seconds(up), time.monotonic() - began_at
    finally:
        up.end()
    up, again_seconds = start(data_dir)
    up.end()
    percent = {name: 100 * (after[name] - before[name]) / took_seconds for name in before}
    return Idle(percent, first_seconds, again_seconds)


def show(idle: Idle, console: Console) -> None:
    table = Table("process", "% of a core")
    for name, percent in (*idle.percent.items(), ("all", sum(idle.percent.values()))):
        table.add_row(name, f"{percent:.2f}")
    console.print(table)
    console.print(
        f"ready after {idle.first_seconds:.1f} s, started again after {idle.again_seconds:.1f} s"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description="What an installation without calls costs")
    parser.add_argument("--seconds", type=float, default=40)
    console = Console()
    with short_directory("switchboard-idle-") as directory:
        idle = measure(directory / "data", parser.parse_args().seconds)
    show(idle, console)
    return judge(idle.figures(), console)


if __name__ == "__main__":
    sys.exit(main())
