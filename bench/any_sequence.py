"""How many operations on the books of a market can be checked: calls, payments, refunds, disputes,
resets and crashes in any sequence (``tests/control_plane/money/any_sequence``).

python -m bench.any_sequence [--operations 10000000] [--minutes 10] [--processes 2] [--seed 0]

It tells every ten seconds how far it is. Ctrl-C ends the running markets early and checks their
books as well; a second one gives up at once.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from multiprocessing import connection, get_context
from multiprocessing.context import SpawnProcess
from multiprocessing.sharedctypes import Synchronized
from multiprocessing.synchronize import Event
from pathlib import Path
from random import Random
from types import FrameType

import psycopg
import structlog
from rich.console import Console
from sqlalchemy import create_engine

from control_plane.migrate import apply_revisions
from switchboard.services.embedded_server import running
from switchboard.services.postgres import PostgresServer
from tests.control_plane.money.any_sequence.market import Market
from tests.control_plane.money.any_sequence.shop import opened_shop
from tests.control_plane.money.any_sequence.steps import Step, random_step

STEPS = 200
"""Of each market."""
TOLD_EVERY_SECONDS = 10.0
SEEDS_OF_A_PROCESS = 1_000_000


async def live(
    database_url: str,
    directory: Path,
    operations: int,
    seed: int,
    done: Synchronized[int],
    stopping: Event,
) -> None:
    """Open one market after the other until ``done`` has reached ``operations``. The seed of each
    is its number, so that one in which the books are wrong can be opened again.

    Raises:
        AssertionError: the books of a market are wrong.
    """
    async with opened_shop(database_url, directory) as shop:
        while done.value < operations and not stopping.is_set():
            market = await Market.opened(shop)
            try:
                done.value += await market.live(_steps(Random(seed), stopping))
            except Exception as error:
                error.add_note(f"in the market with the seed {seed}")
                raise
            seed += 1


def _steps(random: Random, stopping: Event) -> Iterator[Step]:
    for _ in range(STEPS):
        if stopping.is_set():
            return
        yield random_step(random)


def live_alone(
    url: str, directory: Path, operations: int, seed: int, done: Synchronized[int], stopping: Event
) -> None:
    """What a process does. When it fails it prints why, and its exit code is not 0."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it reaches the parent, which asks to stop
    # What goes wrong here goes wrong on purpose.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    asyncio.run(live(url, directory, operations, seed, done, stopping))


def run(
    operations: int, minutes: float | None, processes: int, seed: int, console: Console
) -> bool:
    """Whether the books were sound all along."""
    context = get_context("spawn")
    stopping = context.Event()
    counts: list[Synchronized[int]] = [context.Value("q", 0) for _ in range(processes)]
    with tempfile.TemporaryDirectory(prefix="switchboard-books-") as name:
        directory = Path(name)
        directory.chmod(0o711)  # PostgreSQL's unprivileged user must be able to enter
        # No step takes the machine down: nothing is lost by not waiting for the disk. In an hour
        # dead rows make each operation slower.
        server = PostgresServer(directory / "postgres", durable=False, short_lived=False)
        with running(server, directory / "postgres.log"):
            # Each process has a database of its own, so that checks read only its books.
            urls = [_database(server, f"market_{number}") for number in range(processes)]
            began = time.monotonic()
            living = [
                context.Process(
                    target=live_alone,
                    args=(
                        url,
                        directory,
                        -(-operations // processes),
                        seed + number * SEEDS_OF_A_PROCESS,
                        counts[number],
                        stopping,
                    ),
                )
                for number, url in enumerate(urls)
            ]
            for process in living:
                process.start()
            _watch(living, counts, operations, minutes, began, stopping, console)
            took = time.monotonic() - began
    done = sum(count.value for count in counts)
    sound = all(process.exitcode == 0 for process in living)
    console.print(
        f"{done:,} operations in {took:,.0f} s ({done / took:,.0f} a second) in {processes}"
        f" processes: {'the books were sound all along' if sound else 'stopped by an error'}"
    )
    return sound


def _watch(
    living: Sequence[SpawnProcess],
    counts: Sequence[Synchronized[int]],
    operations: int,
    minutes: float | None,
    began: float,
    stopping: Event,
    console: Console,
) -> None:
    """Tell how far they are until all have ended. One that failed ends the others, too."""

    def stop(signal_number: int, frame: FrameType | None) -> None:
        stopping.set()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    before = signal.signal(signal.SIGINT, stop)
    told_at = began
    try:
        while running_now := [each.sentinel for each in living if each.is_alive()]:
            connection.wait(running_now, timeout=1)
            now = time.monotonic()
            if any(each.exitcode for each in living):
                stopping.set()
            if minutes is not None and now - began >= minutes * 60:
                stopping.set()
            if now - told_at >= TOLD_EVERY_SECONDS:
                told_at = now
                done = sum(each.value for each in counts)
                console.print(_progress(done, operations, now - began))
    finally:
        signal.signal(signal.SIGINT, before)
        stopping.set()


def _progress(done: int, operations: int, seconds: float) -> str:
    rate = done / seconds
    left = f"{(operations - done) / rate / 60:,.0f} min left" if rate else "no market is done yet"
    return f"{done:,} of {operations:,} operations, {rate:,.0f} a second, {left}"


def _database(server: PostgresServer, name: str) -> str:
    """A new one with the tables of this release; its URL."""
    plain = server.url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(plain, autocommit=True) as connected:
        connected.execute(f"CREATE DATABASE {name}")
    url = server.database_url(name)
    engine = create_engine(url)
    with engine.connect() as connected_engine:
        apply_revisions(connected_engine)
    engine.dispose()
    return url


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--operations", type=int, default=10_000_000, help="to reach in all")
    parser.add_argument("--minutes", type=float, help="the longest it may take; no limit without")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--seed",
        type=int,
        default=0,
        help="of the first market; runs whose seeds are far apart open different markets",
    )
    arguments = parser.parse_args()
    sound = run(
        arguments.operations,
        arguments.minutes,
        arguments.processes,
        arguments.seed,
        Console(soft_wrap=True),
    )
    sys.exit(0 if sound else 1)


if __name__ == "__main__":
    main()
