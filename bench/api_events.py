"""How fast workers' events reach PostgreSQL.

Real calls on the embedded database; a worker that only plays events ships whole conversations, all
calls at once and interleaved as on a busy day. One, two and three consumer processes apply such a
backlog, on whatever cores the machine has.

Then one consumer has a core, and the database another. The same run inserts one bare row per event
with SQLAlchemy, a transaction each, on the same cores: what an event costs without any guarantee.

    python -m bench.api_events [--calls 200] [--turns 10] [--consumers 1 2 3]

``--consumers`` without a number leaves the first part out.
"""

from __future__ import annotations

import argparse
import asyncio
import logging
import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from pathlib import Path
from uuid import UUID, uuid4

import httpx2
import psycopg
import structlog
from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from rich.console import Console
from rich.table import Table
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine

from bench.event_consumers import consumers, drain
from contracts import redis_names
from contracts.end_reasons import EndReason
from contracts.events import (
    CallEnded,
    CallEvent,
    CallMetered,
    CallStarted,
    EventBody,
    LegJoined,
    LegLeft,
    RoomOpened,
    ToolCalled,
    TranscriptSegment,
    TurnMeasured,
    UsageReported,
)
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.models import Segment
from control_plane.platform.database import Database
from control_plane.platform.link.event_stream import BLOCK_SECONDS, EVENT_STREAMS
from control_plane.platform.link.redis_client import connect
from tests.own_api import OwnApi, own_api

TARGET_PER_SECOND = 2_000
BARE_INSERTS = 2_000
BARE_AT_ONCE = 8
WORKER_ID = "worker-of-the-bench"


@dataclass(frozen=True)
class Applied:
    """``cpu_seconds`` is this process's own: the consumer's, without the database's."""

    events: int
    seconds: float
    cpu_seconds: float

    @property
    def per_second(self) -> float:
        return self.events / self.seconds

    @property
    def cpu_us_per_event(self) -> float:
        return self.cpu_seconds / self.events * 1e6


def conversation(participant_id: UUID, turns: int) -> Iterator[EventBody]:
    """What a worker reports of a call in which caller and agent speak ``turns`` times each.

    The meter is read every 5 s, and a turn of the two takes 8 s.
    """
    yield RoomOpened()
    yield CallStarted(participant_id=participant_id)
    yield LegJoined(participant_id=participant_id)
    read_ms = 0
    for turn in range(turns):
        at_ms = turn * 8_000
        for sequence, speaker in ((2 * turn, "user"), (2 * turn + 1, "agent")):
            yield TranscriptSegment.model_validate(
                {
                    "sequence": sequence,
                    "speaker": speaker,
                    "text": "I would like to come on Tuesday afternoon, if you have a time left.",
                    "started_at_ms": at_ms,
                    "ended_at_ms": at_ms + 4_000,
                }
            )
        yield TurnMeasured(sequence=2 * turn + 1, llm_first_token_ms=240, end_to_end_ms=610)
        while read_ms + 5_000 <= at_ms + 8_000:
            read_ms += 5_000
            yield CallMetered(connected_ms=read_ms)
    yield ToolCalled(name="end_call")
    for channel, model in (("stt", "listener"), ("llm", "thinker"), ("tts", "speaker")):
        yield UsageReported.model_validate({"channel": channel, "provider": "p", "model": model})
    yield LegLeft(participant_id=participant_id, cause="left")
    yield CallEnded(end_reason=EndReason.PARTICIPANT_DISCONNECTED, connected_ms=turns * 8_000)


@dataclass(frozen=True)
class Created:
    call_id: UUID
    participant_id: UUID


def create_calls(api: OwnApi, calls: int) -> tuple[UUID, list[Created]]:
    """A tenant with enough credit, and its new calls."""
    tenant_id, key = api.open_account()
    granted = httpx2.post(
        f"{api.url}/v1/operator/tenants/{tenant_id}/credits",
        headers=api.operator,
        json={"amount_usd": 10_000, "reference": f"bench:{uuid4()}", "description": "Bench"},
    )
    granted.raise_for_status()
    headers = {"Authorization": f"Bearer {key}"}
    with httpx2.Client(base_url=api.url, headers=headers, timeout=30) as http:
        agent = http.post("/v1/agents", json={"name": "Reception"}).raise_for_status().json()
        http.post(f"/v1/agents/{agent['id']}/publish").raise_for_status()
        wanted = {
            "agent_id": agent["id"],
            "participants": [{"transport": "webrtc", "identity": "caller"}],
        }
        created = [
            http.post("/v1/calls", json=wanted).raise_for_status().json() for _ in range(calls)
        ]
    return tenant_id, [
        Created(UUID(call["id"]), UUID(call["participants"][0]["id"])) for call in created
    ]


def interleaved(tenant_id: UUID, calls: Sequence[Created], turns: int) -> list[CallEvent]:
    """Every call's events in its own order, one of each call after the other."""
    began = datetime.now(UTC)
    journals = [
        [
            CallEvent(
                call_id=call.call_id,
                tenant_id=tenant_id,
                seq=seq,
                occurred_at=began + timedelta(milliseconds=seq),
                worker_id=WORKER_ID,
                body=body,
            )
            for seq, body in enumerate(conversation(call.participant_id, turns), start=1)
        ]
        for call in calls
    ]
    return [event for moment in zip_longest(*journals) for event in moment if event is not None]


def let_time_pass(psycopg_url: str) -> None:
    """Date the calls back, because no worker is believed that reports more time than has passed."""
    with psycopg.connect(psycopg_url) as connection:
        connection.execute("SET ROLE switchboard_system")
        connection.execute("UPDATE calls SET created_at = created_at - interval '1 hour'")


async def ship(redis: AsyncRedis, events: Sequence[CallEvent]) -> None:
    async with redis.pipeline(transaction=False) as pipe:
        for event in events:
            stream = redis_names.event_shard_of(event.call_id, redis_names.EVENT_SHARDS)
            pipe.xadd(stream, {redis_names.FIELD: event.model_dump_json()})
        await pipe.execute()


async def apply_all(database: Database, redis: AsyncRedis, events: int) -> Applied:
    consumer = EventConsumer(database, redis)
    started_at, started_cpu = time.perf_counter(), time.process_time()
    while entries := await consumer.stream.read_new():
        await consumer.consume(entries)
        finished_at, finished_cpu = time.perf_counter(), time.process_time()
    return Applied(events, finished_at - started_at, finished_cpu - started_cpu)


async def insert_bare(database_url: str, tenant_id: UUID, call_id: UUID) -> Applied:
    """One row per transaction, ``BARE_AT_ONCE`` at a time."""
    engine = create_async_engine(
        database_url,
        pool_size=BARE_AT_ONCE,
        connect_args={"options": "-c role=switchboard_system"},
    )
    numbers = iter(range(1_000_000, 1_000_000 + BARE_INSERTS))

    async def insert_some() -> None:
        for number in numbers:
            async with AsyncSession(engine) as session, session.begin():
                session.add(
                    Segment(
                        call_id=call_id,
                        sequence=number,
                        tenant_id=tenant_id,
                        speaker="user",
                        text="I would like to come on Tuesday afternoon, if you have a time left.",
                        started_at_ms=0,
                        ended_at_ms=4_000,
                        interrupted=False,
                    )
                )

    started_at, started_cpu = time.perf_counter(), time.process_time()
    async with asyncio.TaskGroup() as inserters:
        for _ in range(BARE_AT_ONCE):
            inserters.create_task(insert_some())
    applied = Applied(
        BARE_INSERTS, time.perf_counter() - started_at, time.process_time() - started_cpu
    )
    await engine.dispose()
    return applied


def check_result(api: OwnApi, tenant_id: UUID, calls: int, turns: int) -> None:
    """A fast consumer that loses something is none.

    Raises:
        RuntimeError: not everything was applied, or something twice.
    """
    with psycopg.connect(api.psycopg_url) as connection:
        connection.execute("SET ROLE switchboard_system")
        [found] = connection.execute(
            "SELECT (SELECT count(*) FROM calls WHERE tenant_id = %(id)s AND status = 'completed'),"
            " (SELECT count(*) FROM transcript_segments"
            "  WHERE tenant_id = %(id)s AND sequence < 1000000),"
            " (SELECT count(*) FROM ledger_entries"
            "  WHERE tenant_id = %(id)s AND transaction_type = 'charge'),"
            " (SELECT held_micros FROM billing_accounts WHERE tenant_id = %(id)s)",
            {"id": tenant_id},
        )
    wanted = (calls, calls * turns * 2, calls, 0)
    if tuple(found) != wanted:
        raise RuntimeError(f"calls, segments, charges, held are {found}, not {wanted}")


def share_cores(psycopg_url: str) -> str:
    """This process on one core and every new backend of PostgreSQL on another, if there are two."""
    cores = sorted(os.sched_getaffinity(0))
    if len(cores) < 2:
        return "one core for everything"
    with psycopg.connect(psycopg_url) as connection:
        [(backend,)] = connection.execute("SELECT pg_backend_pid()").fetchall()
        status = Path(f"/proc/{backend}/status").read_text()
    server = next(line for line in status.splitlines() if line.startswith("PPid:")).split()[1]
    os.sched_setaffinity(int(server), {cores[0]})
    os.sched_setaffinity(0, {cores[1]})
    return "one core for the consumer, one for the database"


async def backlog(api: OwnApi, calls: int, turns: int) -> tuple[UUID, list[Created], int]:
    """Ship the events of new calls. Returns the tenant, the calls and the number of events."""
    tenant_id, created = await asyncio.to_thread(create_calls, api, calls)
    let_time_pass(api.psycopg_url)
    events = interleaved(tenant_id, created, turns)
    redis = connect(api.redis_url)
    await ship(redis, events)
    await redis.aclose()
    return tenant_id, created, len(events)


def scale(api: OwnApi, calls: int, turns: int, consumer_counts: Sequence[int]) -> Table:
    """The same backlog for each number of consumer processes."""
    redis = Redis.from_url(api.redis_url)
    table = Table(
        title=f"backlog of {calls} calls; {len(os.sched_getaffinity(0))} cores for everything"
    )
    columns = (
        *("consumers", "events", "per second", "consumers' CPU µs each"),
        *("database's CPU µs each", "given again", "on a core each, per second"),
    )
    for column in columns:
        table.add_column(column, justify="right")
    for count in consumer_counts:
        with consumers(count, api.app_url, api.system_url, api.redis_url) as running:
            tenant_id, _, events = asyncio.run(backlog(api, calls, turns))
            drained = drain(running, redis, EVENT_STREAMS, api.psycopg_url)
        check_result(api, tenant_id, calls, turns)
        table.add_row(
            str(count),
            f"{events:,}",
            f"{drained.per_second:,.0f}",
            f"{drained.consumer_cpu_us:.0f}",
            f"{drained.database_cpu_us:.0f}",
            f"{drained.given - events:,}",
            f"{count * 1e6 / drained.consumer_cpu_us:,.0f}",
        )
    return table


async def compare(api: OwnApi, redis_url: str, calls: int, turns: int) -> Table:
    cores = share_cores(api.psycopg_url)
    tenant_id, created, events = await backlog(api, calls, turns)
    database = Database(api.app_url, system_url=api.system_url, deadline_seconds=60)
    redis = connect(redis_url, longest_block_seconds=BLOCK_SECONDS)
    bare = await insert_bare(api.database_url, tenant_id, created[0].call_id)
    ours = await apply_all(database, redis, events)
    await database.aclose()
    await redis.aclose()
    check_result(api, tenant_id, calls, turns)
    table = Table(title=f"{events:,} events of {calls} calls; {cores}")
    for column in ("", "per second", "CPU µs each"):
        table.add_column(column, justify="left" if not column else "right")
    for name, result in (("events applied", ours), ("bare inserts", bare)):
        table.add_row(name, f"{result.per_second:,.0f}", f"{result.cpu_us_per_event:.0f}")
    table.add_row("target", f"≥ {TARGET_PER_SECOND:,}", "")
    table.add_row("ratio", f"{ours.per_second / bare.per_second:.2f}", "")
    return table


def run(calls: int, turns: int, consumer_counts: Sequence[int]) -> Iterator[Table]:
    with own_api() as api:
        if consumer_counts:
            yield scale(api, calls, turns, consumer_counts)
        yield asyncio.run(compare(api, api.redis_url, calls, turns))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--calls", type=int, default=200)
    parser.add_argument("--turns", type=int, default=10)
    parser.add_argument("--consumers", type=int, nargs="*", default=[1, 2, 3])
    arguments = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    console = Console()
    for table in run(arguments.calls, arguments.turns, arguments.consumers):
        console.print(table)


if __name__ == "__main__":
    main()
