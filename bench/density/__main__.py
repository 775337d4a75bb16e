"""Many calls at once over WebRTC: what callers hear, and what it costs.

    python -m bench.density [--vendors cloud] [--calls 1 8] [--processes 1 2] [--old CHECKOUT]
        [--neighbor 0 50] [--cores 1] [--seconds 45] [--minutes 30] [--markdown]
    python -m bench.density --piece 1 --table rows.jsonl --old CHECKOUT

A piece of the whole table takes about five minutes. How to read each column is in
``docs/density.md``.
"""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from bench.density.condition import Condition
from bench.density.kept_rows import keep, kept
from bench.density.measurement import Length, bench
from bench.density.row import Row
from bench.density.table import markdown, terminal_table
from bench.density.whole_table import PIECES
from bench.vendors.delays import DELAYS

SOAK_CALL_SECONDS = 90.0
_WIDTH = 260


def main() -> None:
    arguments = parsed()
    # So that what was started ends with this process.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended by a signal"))
    rows: list[Row] = []
    if not arguments.measure_nothing:
        of_piece = PIECES[arguments.piece - 1] if arguments.piece else None
        rows = measured(arguments, of_piece or chosen(arguments))
    if arguments.table is not None:
        rows = kept(arguments.table)
    if arguments.markdown:
        print(markdown(rows))
    else:
        Console(width=_WIDTH).print(terminal_table(rows))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Many calls at once over WebRTC")
    parser.add_argument("--vendors", choices=["offline", *DELAYS], default="offline")
    parser.add_argument("--calls", type=int, nargs="+", default=[1, 4])
    parser.add_argument("--processes", type=int, nargs="+", default=[2], help="of the media worker")
    parser.add_argument("--neighbor", type=int, nargs="+", default=[0], help="percent of a core")
    parser.add_argument("--cores", type=int, help="for the media worker and the models alone")
    parser.add_argument("--old", type=Path, help="a checkout of another build, with its .venv")
    parser.add_argument("--seconds", type=float, default=45, help="that are measured in a row")
    parser.add_argument("--minutes", type=int, help="measure each one, with calls of 90 seconds")
    parser.add_argument("--table", type=Path, help="a file that keeps rows, of which all are shown")
    parser.add_argument("--piece", type=int, help=f"of the whole table, 1 to {len(PIECES)}")
    parser.add_argument("--measure-nothing", action="store_true", help="only show the table")
    parser.add_argument("--markdown", action="store_true")
    return parser.parse_args()


def chosen(arguments: argparse.Namespace) -> list[Condition]:
    """Both builds one after the other; the old one has one worker process only."""
    conditions = []
    for neighbor in arguments.neighbor:
        for calls in arguments.calls:
            rest = (arguments.cores, neighbor / 100)
            conditions += [
                Condition(arguments.vendors, calls, "new", processes, *rest)
                for processes in arguments.processes
            ]
            if arguments.old is not None:
                conditions.append(Condition(arguments.vendors, calls, "old", 1, *rest))
    return conditions


def measured(arguments: argparse.Namespace, conditions: Sequence[Condition]) -> list[Row]:
    if arguments.minutes is None:
        length = Length(1, arguments.seconds)
    else:
        length = Length(arguments.minutes, 60.0, SOAK_CALL_SECONDS)
    rows: list[Row] = []
    with bench(arguments.old) as measuring:
        for condition in conditions:
            if condition.build == "old" and arguments.old is None:
                continue
            rows += measuring.rows(condition, length)
            if arguments.table is not None:
                keep(arguments.table, rows[-length.slices :])
    return rows


if __name__ == "__main__":
    main()
