"""What an installation without calls costs: each process's share of a core, and the time from its
start until it is ready, the first time and again.

    python -m bench.idle [--seconds 40]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import psutil
from rich.console import Console
from rich.table import Table

from tests.e2e.up import Up
from tests.short_directory import short_directory

SETTLING_SECONDS = 20.0
"""After the start, in which processes do what they do once."""


def processor_seconds(pids: dict[str, int]) -> dict[str, float]:
    """By process; PostgreSQL with its children."""
    seconds: dict[str, float] = {}
    for name, pid in pids.items():
        process = psutil.Process(pid)
        children = process.children(recursive=True) if name == "postgres" else []
        seconds[name] = sum(sum(each.cpu_times()[:2]) for each in (process, *children))
    return seconds


def start(data_dir: Path) -> tuple[Up, float]:
    began_at = time.monotonic()
    up = Up(data_dir).wait_until_started()
    return up, time.monotonic() - began_at


def measure(data_dir: Path, seconds: float, console: Console) -> None:
    up, first_seconds = start(data_dir)
    try:
        time.sleep(SETTLING_SECONDS)
        pids = up.state.pids
        before, began_at = processor_seconds(pids), time.monotonic()
        time.sleep(seconds)
        after, took_seconds = processor_seconds(pids), time.monotonic() - began_at
    finally:
        up.end()
    up, again_seconds = start(data_dir)
    up.end()
    table = Table("process", "% of a core")
    shares = {name: 100 * (after[name] - before[name]) / took_seconds for name in pids}
    for name, share in (*shares.items(), ("all", sum(shares.values()))):
        table.add_row(name, f"{share:.2f}")
    console.print(table)
    console.print(f"ready after {first_seconds:.1f} s, started again after {again_seconds:.1f} s")


def main() -> None:
    parser = argparse.ArgumentParser(description="What an installation without calls costs")
    parser.add_argument("--seconds", type=float, default=40)
    with short_directory("switchboard-idle-") as directory:
        measure(directory / "data", parser.parse_args().seconds, Console())


if __name__ == "__main__":
    main()
