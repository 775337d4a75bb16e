"""Tenants that share a few workers through the real API, jobs and worker processes.

First a loud tenant asks for ten times as many calls as the workers can carry, while a quiet one
makes a call now and then. Then a stranger with the loud tenant's publishable key opens as many
calls as it can and joins none of them.
"""

from __future__ import annotations

import asyncio
import math
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import psycopg
from redis.asyncio import Redis

from contracts import redis_names
from contracts.call_plan import CallPlan
from contracts.money import charge_micros
from control_plane.platform.database import SYSTEM_ROLE
from tests.chaos.invariants import broken_invariants
from tests.chaos.jobs_process import mortal_jobs
from tests.fairness.worker_process import ABSENT
from tests.free_worker import WORKER_ID
from tests.own_api import OwnApi, own_api
from tests.runtime.until import until

WORKERS, SLOTS = 2, 4
OVERLOAD = 10
QUIET_PER_SECOND = 1.0
ATTACK_PER_SECOND = 1150 / 16
START_SECONDS = 60.0
SETTLING_SECONDS = 60.0
CAPS = {
    "SWITCHBOARD_CALLS_AT_ONCE_PER_TENANT": "100",
    "SWITCHBOARD_CALLS_NOT_JOINED_PER_TENANT": "25",
}


@dataclass
class Client:
    """One tenant with its agent, a secret and a publishable key; ``created`` says when each call
    was asked for (Unix time)."""

    http: httpx2.AsyncClient
    tenant_id: UUID
    agent_id: str
    secret: dict[str, str]
    publishable: dict[str, str]
    created: dict[UUID, float] = field(default_factory=dict)
    answers: Counter[str] = field(default_factory=Counter)

    async def call(self, headers: Mapping[str, str], identity: str = "ada") -> UUID | None:
        """A new call; ``None`` if it was refused."""
        asked_at = time.time()
        try:
            answer = await self.http.post(
                "/v1/calls",
                headers=headers,
                json={
                    "agent_id": self.agent_id,
                    "participants": [{"transport": "webrtc", "identity": identity}],
                },
            )
        except httpx2.TransportError:
            # The server closes a connection that has rested, even if a request is on its way.
            self.answers["connection_lost"] += 1
            return None
        body = answer.json()
        self.answers[body.get("code", str(answer.status_code))] += 1
        if answer.status_code != 201:
            return None
        call_id = UUID(body["id"])
        self.created[call_id] = asked_at
        return call_id


@dataclass(frozen=True)
class Outcome:
    """Seconds from a request to the start of its call; ``None``: the call never started."""

    quiet_seconds: list[float | None]
    quiet_answers: Counter[str]
    loud_started: int
    loud_answers: Counter[str]
    quiet_waits: list[float]
    """Seconds from the offer to a worker's claim, of the calls that got one."""
    attack_answers: Counter[str]
    owner_seconds: float | None
    """Of the attacked tenant's own call, made at the end of the attack."""
    neighbour_seconds: float | None
    """Of another tenant's call then."""
    faults: list[str]

    @property
    def quiet_p95_seconds(self) -> float:
        """Calls that never started count as endless."""
        return p95(math.inf if each is None else each for each in self.quiet_seconds)


def p95(values: Iterable[float]) -> float:
    ordered = sorted(values)
    return ordered[max(0, math.ceil(0.95 * len(ordered)) - 1)]


async def crowd(
    seconds: float, call_seconds: float, attack_seconds: float, *, wait_for_strangers: bool
) -> Outcome:
    """
    Args:
        call_seconds: the mean length of a call. The shorter it is, the more calls there are.
        wait_for_strangers: whether the calls that nobody joined are watched to their end.
    """
    loud_per_second = OVERLOAD * WORKERS * SLOTS / call_seconds
    with own_api(None, **CAPS) as api, tempfile.TemporaryDirectory() as directory:
        async with (
            mortal_jobs(api),
            workers(api, Path(directory), call_seconds),
            _open_tenant(api) as loud,
            _open_tenant(api) as quiet,
        ):
            for client in (loud, quiet):
                await client.call(client.secret)  # What the first one loads is not measured.
            first = set(await _settled(api))
            async with asyncio.TaskGroup() as group:
                group.create_task(_repeat(loud_per_second, seconds, lambda: loud.call(loud.secret)))
                group.create_task(
                    _repeat(QUIET_PER_SECOND, seconds, lambda: quiet.call(quiet.secret))
                )
            calls = await _settled(api)
            faults = _faults(api, calls, (loud, quiet))
            measured = quiet.created.keys() - first
            quiet_seconds = [_seconds_to_start(calls, quiet, each) for each in measured]
            quiet_waits = [
                (calls[each]["claimed_at"] - calls[each]["dispatched_at"]).total_seconds()
                for each in measured
                if calls[each]["claimed_at"] is not None
            ]
            loud_started = sum(calls[each]["started_at"] is not None for each in loud.created)
            loud_answers, loud.answers = loud.answers, Counter()
            quiet_answers = Counter(quiet.answers)
            await _repeat(
                ATTACK_PER_SECOND, attack_seconds, lambda: loud.call(loud.publishable, ABSENT)
            )
            attack_answers = Counter(loud.answers)
            last = [await loud.call(loud.secret), await quiet.call(quiet.secret)]
            calls = await _settled(api, None if wait_for_strangers else last)
            if wait_for_strangers:
                faults += _faults(api, calls, (loud, quiet))
        return Outcome(
            quiet_seconds,
            quiet_answers,
            loud_started,
            loud_answers,
            quiet_waits,
            attack_answers,
            _seconds_to_start(calls, loud, last[0]),
            _seconds_to_start(calls, quiet, last[1]),
            faults,
        )


@asynccontextmanager
async def workers(api: OwnApi, directory: Path, call_seconds: float) -> AsyncIterator[None]:
    """Real worker processes in place of the one that the API believes in."""
    processes = [
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tests.fairness.worker_process", api.redis_url),
            *(str(directory / f"w{number}"), f"w{number}", str(SLOTS), str(call_seconds)),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        for number in range(WORKERS)
    ]
    try:
        async with Redis.from_url(api.redis_url) as redis:
            await redis.delete(redis_names.worker_heartbeat(WORKER_ID))
            await until(lambda: _are_ready(redis), START_SECONDS)
        yield
    finally:
        for process in processes:
            process.kill()
            await process.wait()


async def _are_ready(redis: Redis) -> bool:
    heartbeats = [redis_names.worker_heartbeat(f"w{number}") for number in range(WORKERS)]
    return int(await redis.exists(*heartbeats)) == WORKERS


@asynccontextmanager
async def _open_tenant(api: OwnApi) -> AsyncIterator[Client]:
    tenant_id, key = await asyncio.to_thread(api.open_account)
    secret = {"Authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(base_url=api.url, headers=secret) as own:
        agent = await own.post("/v1/agents", json={"name": "Ada"})
        agent_id = agent.raise_for_status().json()["id"]
        (await own.post(f"/v1/agents/{agent_id}/publish")).raise_for_status()
        page = await own.post("/v1/api-keys", json={"name": "Page", "kind": "publishable"})
        publishable = {"Authorization": f"Bearer {page.raise_for_status().json()['key']}"}
    no_limits = httpx2.Limits(max_connections=None)
    async with httpx2.AsyncClient(base_url=api.url, timeout=30, limits=no_limits) as http:
        yield Client(http, tenant_id, agent_id, secret, publishable)


async def _repeat(
    per_second: float, seconds: float, act: Callable[[], Coroutine[Any, Any, object]]
) -> None:
    """Begin ``act`` so often, whether or not the ones before are finished."""
    started_at = time.monotonic()
    async with asyncio.TaskGroup() as group:
        for number in range(round(per_second * seconds)):
            await asyncio.sleep(started_at + number / per_second - time.monotonic())
            group.create_task(act())


async def _settled(
    api: OwnApi, wanted: Sequence[UUID | None] | None = None
) -> dict[UUID, dict[str, Any]]:
    """Every call, once all are over, or those in ``wanted``."""
    give_up_at = time.monotonic() + SETTLING_SECONDS
    while True:
        calls = await asyncio.to_thread(_calls, api.psycopg_url)
        running = [call_id for call_id, call in calls.items() if call["ended_at"] is None]
        if not running or (wanted is not None and not set(running).intersection(wanted)):
            return calls
        if time.monotonic() > give_up_at:
            return calls
        await asyncio.sleep(0.5)


def _faults(
    api: OwnApi, calls: Mapping[UUID, Mapping[str, Any]], clients: Sequence[Client]
) -> list[str]:
    """Broken invariants and wrong bills, once all calls are over."""
    created = {
        # An API that was too slow to answer may have created a call.
        client.tenant_id: [
            *client.created,
            *(each for each, call in calls.items() if call["tenant_id"] == client.tenant_id),
        ]
        for client in clients
    }
    return [*broken_invariants(api.psycopg_url, created, {}), *_wrong_bills(calls)]


def _calls(psycopg_url: str) -> dict[UUID, dict[str, Any]]:
    with psycopg.connect(psycopg_url, row_factory=psycopg.rows.dict_row) as connection:
        connection.execute(f"SET ROLE {SYSTEM_ROLE}")
        return {row["id"]: row for row in connection.execute("SELECT * FROM calls")}


def _seconds_to_start(
    calls: Mapping[UUID, Mapping[str, Any]], client: Client, call_id: UUID | None
) -> float | None:
    started_at = None if call_id is None else calls[call_id]["started_at"]
    if call_id is None or started_at is None:
        return None
    return float(started_at.timestamp() - client.created[call_id])


def _wrong_bills(calls: Mapping[UUID, Mapping[str, Any]]) -> list[str]:
    """Short calls cost thirty seconds, and calls that nobody joined nothing."""
    faults = []
    for call_id, call in calls.items():
        plan = CallPlan.model_validate(call["plan"])
        seconds = 0 if call["started_at"] is None else 30
        expected = (seconds, charge_micros(seconds, plan.rate_micros_per_minute))
        billed = (call["billable_seconds"], call["total_cost_micros"])
        if billed != expected:
            faults.append(f"call {call_id}: {billed} was billed instead of {expected}")
    return faults
