"""How many operations on the books of a market can be checked: calls, payments, refunds, disputes,
resets and crashes in any sequence (``tests/control_plane/money/any_sequence``).

python -m bench.any_sequence [--operations 10000000] [--minutes 10] [--processes 2] [--seed 0]
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from random import Random

import psycopg
import structlog
from rich.console import Console
from sqlalchemy import create_engine

from control_plane.migrate import apply_revisions
from switchboard.services.embedded_server import running
from switchboard.services.postgres import PostgresServer
from tests.control_plane.money.any_sequence.market import Market
from tests.control_plane.money.any_sequence.shop import opened_shop
from tests.control_plane.money.any_sequence.steps import random_step

STEPS = 200
"""Of each market."""


async def live(
    database_url: str, directory: Path, operations: int, ends_at: float, seed: int
) -> int:
    """Open one market after the other. The seed of each is its number, so that one in which the
    books are wrong can be opened again.

    Raises:
        AssertionError: the books of a market are wrong.
    """
    done = 0
    async with opened_shop(database_url, directory) as shop:
        while done < operations and time.monotonic() < ends_at:
            random = Random(seed)
            market = await Market.opened(shop)
            try:
                done += await market.live(random_step(random) for _ in range(STEPS))
            except Exception as error:
                error.add_note(f"in the market with the seed {seed}")
                raise
            seed += 1
    return done


def live_alone(url: str, directory: Path, operations: int, minutes: float, seed: int) -> int:
    # What goes wrong here goes wrong on purpose.
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    return asyncio.run(live(url, directory, operations, time.monotonic() + minutes * 60, seed))


def run(operations: int, minutes: float, processes: int, seed: int, console: Console) -> None:
    with tempfile.TemporaryDirectory(prefix="switchboard-books-") as name:
        directory = Path(name)
        directory.chmod(0o711)  # PostgreSQL's unprivileged user must be able to enter
        server = PostgresServer(directory / "postgres")
        with running(server, directory / "postgres.log"):
            urls = [_database(server, f"market_{number}") for number in range(processes)]
            began = time.monotonic()
            # Each process has a database of its own, so that checks read only its books.
            with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
                living = [
                    pool.submit(
                        live_alone,
                        url,
                        directory,
                        operations // processes,
                        minutes,
                        seed + number * 1_000_000,
                    )
                    for number, url in enumerate(urls)
                ]
                done = sum(each.result() for each in living)
            took = time.monotonic() - began
    console.print(
        f"{done:,} operations in {took:,.0f} s ({done / took:,.0f} a second) in {processes}"
        " processes: the books were sound all along"
    )


def _database(server: PostgresServer, name: str) -> str:
    """A new one with the tables of this release; its URL."""
    plain = server.url.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(plain, autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    url = server.database_url(name)
    engine = create_engine(url)
    with engine.connect() as connected:
        apply_revisions(connected)
    engine.dispose()
    return url


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--operations", type=int, default=10_000_000)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    run(
        arguments.operations,
        arguments.minutes,
        arguments.processes,
        arguments.seed,
        Console(soft_wrap=True),
    )


if __name__ == "__main__":
    main()
