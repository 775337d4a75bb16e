"""What a round of the reaper costs while very many calls run.

The calls are rows of the embedded database. A process of its own renews their leases and their
media positions once a second, as their workers' heartbeats would. Nothing is reaped.

    python -m bench.api_reaper [--calls 10000 40000] [--rounds 5]
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from uuid import UUID

import psycopg
import structlog
from redis import Redis
from rich.console import Console
from rich.table import Table

from bench.heartbeats import beat
from control_plane.calling.reaper.clear_view import ClearView
from control_plane.calling.reaper.reaper import Reaper
from control_plane.platform.database import SYSTEM_ROLE, Database
from control_plane.platform.link.redis_client import connect
from tests.control_plane.many_calls import add_calls
from tests.own_api import OwnApi, own_api

TICK_SECONDS = 0.005
PLAN_BYTES = 6000


@dataclass(frozen=True)
class Rounds:
    """``longest_stall_ms`` is how long the loop was held up at most; ``longest_step_ms`` is the
    most processor time that it spent without looking after anything else. On a busy machine the
    former also counts other processes."""

    calls: int
    seconds: float
    cpu_seconds: float
    longest_stall_ms: float
    longest_step_ms: float


def fill(api: OwnApi, calls: int) -> None:
    """Let ``calls`` calls run."""
    tenant_id, _ = api.open_account()
    with psycopg.connect(api.psycopg_url, autocommit=True) as connection:
        add_calls(connection, tenant_id, [UUID(int=1)], calls, plan_bytes=PLAN_BYTES)
        connection.execute(f"SET ROLE {SYSTEM_ROLE}")
        connection.execute(
            """
            UPDATE calls SET status = 'in_progress', ended_at = NULL, end_reason = NULL,
                claimed_at = now(), started_at = now(), created_at = now(),
                plan = plan || '{"limits": {"max_duration_seconds": 36000,
                    "silence_prompt_seconds": 10, "silence_hangup_seconds": 10}}'
            """
        )
        connection.execute("RESET ROLE")
        connection.execute("VACUUM (FULL, ANALYZE) calls")


async def measure(api: OwnApi, calls: int, rounds: int) -> Rounds:
    database = Database(api.app_url, system_url=api.system_url, deadline_seconds=60)
    redis = connect(api.redis_url)
    reaper = Reaper(database, redis, view=ClearView(0, clock=lambda: 0))
    await reaper.round()
    # As in a jobs process: what it imported is never looked at again.
    gc.freeze()
    stalls: list[tuple[float, float]] = []
    watching = asyncio.create_task(_watch(stalls))
    seconds, cpu = [], []
    for _ in range(rounds):
        started_at, started_cpu = time.perf_counter(), time.process_time()
        await reaper.round()
        seconds.append(time.perf_counter() - started_at)
        cpu.append(time.process_time() - started_cpu)
    watching.cancel()
    await database.aclose()
    await redis.aclose()
    longest_stall, longest_step = (max(each) * 1000 for each in zip(*stalls, strict=True))
    return Rounds(
        calls, statistics.median(seconds), statistics.median(cpu), longest_stall, longest_step
    )


async def _watch(stalls: list[tuple[float, float]]) -> None:
    """How late the loop is, and how much processor time it has spent meanwhile."""
    while True:
        asleep_at, used = time.perf_counter(), time.thread_time()
        await asyncio.sleep(TICK_SECONDS)
        late = time.perf_counter() - asleep_at - TICK_SECONDS
        stalls.append((late, time.thread_time() - used))


def run(calls: int, rounds: int) -> Rounds:
    with own_api() as api:
        fill(api, calls)
        with psycopg.connect(api.psycopg_url) as connection:
            connection.execute(f"SET ROLE {SYSTEM_ROLE}")
            ids = [row[0] for row in connection.execute("SELECT id FROM calls")]
        redis = Redis.from_url(api.redis_url)
        beat(redis, ids)
        heart = subprocess.Popen(
            [sys.executable, "-m", "bench.heartbeats", api.redis_url],
            stdin=subprocess.PIPE,
            text=True,
        )
        assert heart.stdin is not None
        heart.stdin.write("\n".join(map(str, ids)) + "\n\n")
        heart.stdin.flush()
        try:
            measured = asyncio.run(measure(api, calls, rounds))
        finally:
            heart.kill()
            heart.wait()
        with psycopg.connect(api.psycopg_url) as connection:
            connection.execute(f"SET ROLE {SYSTEM_ROLE}")
            [(running,)] = connection.execute("SELECT count(*) FROM calls WHERE ended_at IS NULL")
        if running != calls:
            raise RuntimeError(f"{calls - running} calls were ended that have a living worker")
        return measured


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, nargs="+", default=[10_000, 40_000])
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    table = Table(title="a round of the reaper")
    columns = ("live calls", "seconds", "CPU seconds", "longest stall, ms", "longest step, CPU ms")
    for column in columns:
        table.add_column(column, justify="right")
    for calls in arguments.calls:
        took = run(calls, arguments.rounds)
        table.add_row(
            f"{took.calls:,}",
            f"{took.seconds:.2f}",
            f"{took.cpu_seconds:.2f}",
            f"{took.longest_stall_ms:.0f}",
            f"{took.longest_step_ms:.0f}",
        )
    Console().print(table)


if __name__ == "__main__":
    main()
