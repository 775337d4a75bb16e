"""Many simulated calls through the real API, link, database and jobs process.

python -m tests.chaos [--calls 10000] [--seed 1]
"""

from __future__ import annotations

import argparse
import asyncio
import sys

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from tests.chaos.storm import Outcome, Progress, storm

SHOWN_FAULTS = 20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    console = Console()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Bars(*columns, TimeElapsedColumn(), console=console) as bars:
        made = bars.add_task("made", total=arguments.calls)
        over = bars.add_task("over", total=arguments.calls)

        def show(progress: Progress) -> None:
            bars.update(made, completed=progress.made)
            bars.update(
                over,
                completed=progress.over,
                description=f"over ({progress.events_waiting} events waiting)",
            )
            if not console.is_terminal:
                console.print(progress)

        outcome = asyncio.run(storm(arguments.calls, arguments.seed, show))
    report(console, outcome)
    sys.exit(1 if outcome.faults else 0)


def report(console: Console, outcome: Outcome) -> None:
    console.print(f"{outcome.calls:,} calls in {outcome.seconds:.0f} s")
    console.print("answers:", dict(outcome.answers))
    console.print("events:", dict(outcome.mishaps))
    console.print("workers' deaths:", dict(outcome.deaths))
    console.print("end reasons:", outcome.end_reasons)
    for fault in outcome.faults[:SHOWN_FAULTS]:
        console.print(fault)
    console.print(f"{len(outcome.faults)} broken invariants")


if __name__ == "__main__":
    main()
