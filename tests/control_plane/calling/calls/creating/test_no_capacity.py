"""``POST /v1/calls`` while no media worker would begin the call in time."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from uuid import UUID, uuid4

from fastapi import FastAPI
from httpx2 import Response
from redis.asyncio import Redis
from sqlalchemy import text

from contracts.heartbeat import CallMedia
from control_plane.platform.database import Database
from control_plane.platform.link.capacity import CapacityView
from runtime.journal.space import JournalSpace
from runtime.link.heartbeat import Backlog, Heartbeat
from runtime.link.worker_identity import WorkerIdentity
from runtime.slots import Slots
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import CALLER, create_call
from tests.control_plane.fake_worker import FakeWorker
from tests.free_worker import note_free_worker


async def test_without_workers_the_answer_is_503_and_nothing_is_created_or_held(
    tenant: TenantClient, database: Database, redis: Redis
) -> None:
    await redis.flushall()
    agent_id = await tenant.published_agent()
    body = {"agent_id": str(agent_id), "participants": [CALLER]}
    answer = await tenant.post("/v1/calls", body)
    assert (answer.status_code, answer.json()["code"]) == (503, "no_capacity")
    assert answer.headers["Retry-After"] == "5"
    assert answer.json()["detail"].startswith("No media worker is there")
    async with database.system_session() as session:
        assert await session.scalar(text("SELECT count(*) FROM calls")) == 0
        assert await session.scalar(text("SELECT sum(held_micros) FROM billing_accounts")) == 0


async def test_the_same_request_succeeds_once_there_is_a_worker(
    tenant: TenantClient, app: FastAPI, redis: Redis, valkey_url: str
) -> None:
    await redis.flushall()
    agent_id = await tenant.published_agent()
    once = tenant.headers | {"Idempotency-Key": str(uuid4())}
    body = {"agent_id": str(agent_id), "participants": [CALLER]}
    first = await tenant.http.post("/v1/calls", headers=once, json=body)
    assert first.status_code == 503
    note_free_worker(valkey_url)
    app.state.capacity = CapacityView(redis)  # As after a second.
    second = await tenant.http.post("/v1/calls", headers=once, json=body)
    assert second.status_code == 201


class NoCalls:
    def taken(self, call_id: UUID) -> None: ...

    def leased(self) -> Iterable[UUID]:
        return ()

    def claimed(self) -> Iterable[UUID]:
        return ()

    def media(self) -> Iterable[CallMedia]:
        return ()

    def backlog(self) -> Backlog:
        return Backlog(journal_bytes=0, journals_are_full=False, events_are_held_back=False)


async def test_a_worker_whose_journals_are_full_has_no_room(
    tenant: TenantClient, app: FastAPI, redis: Redis, tmp_path: Path
) -> None:
    await redis.flushall()
    agent_id = await tenant.published_agent()
    body = {"agent_id": str(agent_id), "participants": [CALLER]}
    slots = Slots(3)
    space = JournalSpace(tmp_path, 10, slots)
    identity = WorkerIdentity("worker-1", tmp_path)
    heartbeat = Heartbeat(redis, "worker-1", identity, slots, NoCalls(), lease_seconds=30)
    heartbeat.state = "ready"

    async def ask() -> Response:
        await space.look()
        await heartbeat.beat()
        app.state.capacity = CapacityView(redis)  # As after a second.
        return await tenant.post("/v1/calls", body)

    (tmp_path / "call.jsonl").write_bytes(b"x" * 10)
    assert (await ask()).status_code == 503
    (tmp_path / "call.jsonl").unlink()
    assert (await ask()).status_code == 201


async def test_workers_that_are_too_busy_for_long_have_no_room_and_the_answer_says_so(
    tenant: TenantClient, app: FastAPI, redis: Redis, tmp_path: Path
) -> None:
    await redis.flushall()
    agent_id = await tenant.published_agent()
    body = {"agent_id": str(agent_id), "participants": [CALLER]}
    now = 1_000.0
    slots = Slots(3, clock=lambda: now)
    slots.admit().hold()
    identity = WorkerIdentity("worker-1", tmp_path)
    heartbeat = Heartbeat(redis, "worker-1", identity, slots, NoCalls(), lease_seconds=30)
    heartbeat.state = "ready"

    async def ask() -> Response:
        await heartbeat.beat()
        app.state.capacity = CapacityView(redis)  # As after a second.
        return await tenant.post("/v1/calls", body)

    assert (await ask()).status_code == 201
    slots.close("frames_late")
    now += 6
    refused = await ask()
    assert (refused.status_code, refused.json()["code"]) == (503, "no_capacity")
    assert refused.headers["Retry-After"] == "5"
    assert refused.json()["detail"].startswith("All media workers are busy")
    slots.open("frames_late")
    assert (await ask()).status_code == 201


async def test_a_tenant_whose_queue_is_full_does_not_keep_others_out(
    tenant: TenantClient, other_tenant: TenantClient, valkey_url: str, worker: FakeWorker
) -> None:
    note_free_worker(valkey_url, slots=3)
    loud, quiet = await tenant.published_agent(), await other_tenant.published_agent()
    body = {"agent_id": str(loud), "participants": [CALLER]}
    answers = [(await tenant.post("/v1/calls", body)).status_code for _ in range(6)]
    assert 503 in answers
    assert answers == sorted(answers)
    mine = await create_call(other_tenant, quiet)
    claimed = [await worker.claim() for _ in range(3)]
    assert mine["id"] in [str(plan.call_id) for plan in claimed if plan is not None]
