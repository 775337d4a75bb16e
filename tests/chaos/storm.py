"""One run: clients, simulated workers and a mortal jobs process, until every call is over."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from uuid import UUID

import psycopg
from redis.asyncio import BlockingConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff

from control_plane.platform.database import SYSTEM_ROLE
from control_plane.platform.link.event_stream import stream_lengths
from link.connection import client_of
from tests.chaos.crowd import Crowd
from tests.chaos.fates import Death
from tests.chaos.invariants import broken_invariants
from tests.chaos.jobs_process import mortal_jobs
from tests.chaos.played_call import PlayedCall
from tests.chaos.playing_worker import PlayingWorker
from tests.own_api import own_api

WORKERS = 3
MOST_RUNNING = 400
"""Calls that are not over. More would only wait for a worker, and in the end for nothing."""

REDIS_CONNECTIONS = 40
LOOK_SECONDS = 2.0
SETTLING_SECONDS = 300.0
"""For what is left when the last call was made; with progress it may take longer."""


@dataclass(frozen=True)
class Progress:
    made: int
    over: int
    events_waiting: int


@dataclass(frozen=True)
class Outcome:
    """``faults`` is empty when every invariant holds."""

    calls: int
    seconds: float
    answers: Counter[str]
    mishaps: Counter[str]
    deaths: Counter[str]
    end_reasons: dict[str, int]
    faults: list[str]


async def storm(calls: int, seed: int, show: Callable[[Progress], None]) -> Outcome:
    started_at = time.monotonic()
    with own_api() as api:
        connections = BlockingConnectionPool.from_url(
            api.redis_url,
            decode_responses=True,
            max_connections=REDIS_CONNECTIONS,
            timeout=None,
            retry=Retry(ExponentialBackoff(), retries=8),
        )
        redis = client_of(connections)
        crowd = Crowd(api, random.Random(seed))
        workers = [
            PlayingWorker(redis, f"worker-{number}", random.Random(f"{seed}/{number}"))
            for number in range(WORKERS)
        ]
        async with mortal_jobs(api), asyncio.TaskGroup() as group:
            playing = [group.create_task(worker.run()) for worker in workers]
            making = group.create_task(crowd.make(calls))
            await _until_settled(api.psycopg_url, redis, crowd, workers, making, show)
            for task in playing:
                task.cancel()
        await redis.aclose()
        played: dict[UUID, PlayedCall] = {}
        for worker in workers:
            played |= worker.played
        return Outcome(
            calls=sum(map(len, crowd.created.values())),
            seconds=time.monotonic() - started_at,
            answers=crowd.answers,
            mishaps=sum((worker.link.done for worker in workers), Counter()),
            deaths=Counter(call.death.value for call in played.values()),
            end_reasons=_end_reasons(api.psycopg_url),
            faults=broken_invariants(api.psycopg_url, crowd.created, played),
        )


async def _until_settled(
    psycopg_url: str,
    redis: Redis,
    crowd: Crowd,
    workers: list[PlayingWorker],
    making: asyncio.Task[None],
    show: Callable[[Progress], None],
) -> None:
    """Return when every call is over and every journal that still has a worker is applied, or when
    nothing has moved for ``SETTLING_SECONDS``."""
    last, moved_at = None, time.monotonic()
    while time.monotonic() - moved_at < SETTLING_SECONDS:
        await asyncio.sleep(LOOK_SECONDS)
        made = sum(map(len, crowd.created.values()))
        over = await asyncio.to_thread(_calls_over, psycopg_url)
        waiting = sum((await stream_lengths(redis)).values())
        shipping = sum(
            call.death is not Death.FOR_GOOD and not call.is_shipped
            for worker in workers
            for call in worker.played.values()
        )
        progress = Progress(made, over, waiting)
        show(progress)
        if made - over < MOST_RUNNING:
            crowd.may_go_on.set()
        else:
            crowd.may_go_on.clear()
        if making.done() and made == over and shipping == 0:
            return  # What waits still is behind events that died with their worker.
        if (made, over, shipping) != last:  # The stream's length always moves: see the retries.
            last, moved_at = (made, over, shipping), time.monotonic()


def _calls_over(psycopg_url: str) -> int:
    with psycopg.connect(psycopg_url) as connection:
        connection.execute(f"SET ROLE {SYSTEM_ROLE}")
        row = connection.execute("SELECT count(*) FROM calls WHERE ended_at IS NOT NULL").fetchone()
    assert row is not None
    return int(row[0])


def _end_reasons(psycopg_url: str) -> dict[str, int]:
    with psycopg.connect(psycopg_url) as connection:
        connection.execute(f"SET ROLE {SYSTEM_ROLE}")
        return dict(
            connection.execute(
                "SELECT end_reason, count(*) FROM calls GROUP BY 1 ORDER BY 2 DESC"
            ).fetchall()
        )
