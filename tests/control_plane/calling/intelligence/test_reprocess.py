"""``POST /v1/calls/{call_id}/reprocess``."""

from __future__ import annotations

import asyncio
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.intelligence import repository
from control_plane.platform.audit.models import AuditEntry
from control_plane.platform.database import Database
from tests.control_plane.calling.intelligence.conftest import RunJobs
from tests.control_plane.calling.intelligence.conversation import ended_call, outbox
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import call_of, claimed_call
from tests.control_plane.fake_worker import FakeWorker


async def test_a_call_is_analysed_again_and_told_of_again(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs: RunJobs,
    database: Database,
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs()
    answer = await tenant.post(f"/v1/calls/{plan.call_id}/reprocess")
    assert answer.status_code == 202
    queued = answer.json()
    assert set(queued) == {"status", "job_id", "message"}
    assert queued["status"] == "queued"
    assert UUID(queued["job_id"])
    assert (await call_of(tenant, plan))["intelligence"]["summary"], "the old results stay"
    assert (await call_of(tenant, plan))["intelligence_status"] == "pending"
    await run_jobs()
    assert (await call_of(tenant, plan))["intelligence_status"] == "completed"
    assert len(await outbox(database, plan, "call.completed")) == 2
    assert len(await outbox(database, plan, "call.intelligence.ready")) == 2
    async with database.system_session() as session:
        entry = await session.scalar(
            select(AuditEntry).where(AuditEntry.action == "call.reprocessed")
        )
    assert entry is not None
    assert entry.target_id == str(plan.call_id)


async def test_while_an_analysis_is_under_way_there_is_no_second(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, run_jobs: RunJobs
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    path = f"/v1/calls/{plan.call_id}/reprocess"
    early = await tenant.post(path)
    assert (early.status_code, early.json()["code"]) == (409, "analysis_under_way")
    await run_jobs()
    answers = await asyncio.gather(*(tenant.post(path) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [202, 409, 409, 409]


async def test_a_tenant_asks_for_so_many_analyses_only(
    app: FastAPI,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs: RunJobs,
) -> None:
    plans = [await ended_call(tenant, worker, consumer) for _ in range(2)]
    await run_jobs()
    settings = app.state.settings

    async def answer(number: int, **limits: int) -> tuple[int, str | None]:
        app.state.settings = settings.model_copy(update=limits)
        given = await tenant.post(f"/v1/calls/{plans[number].call_id}/reprocess")
        assert given.status_code == 202 or int(given.headers["retry-after"]) >= 1
        return given.status_code, given.json().get("policy")

    assert await answer(0, reprocess_at_once=1) == (202, None)
    assert await answer(1, reprocess_at_once=1) == (429, "at_once")
    assert await answer(1, reprocess_per_minute=1) == (429, "minute")
    assert await answer(1, reprocess_per_day=1) == (429, "day")
    assert await answer(1, reprocess_per_day=2) == (202, None)


async def test_requests_at_the_same_moment_count_one_after_another(
    app: FastAPI,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    run_jobs: RunJobs,
    database: Database,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plans = [await ended_call(tenant, worker, consumer) for _ in range(2)]
    await run_jobs()
    count = repository.under_way
    unlocked_meters = list[int]()

    async def observed(session: AsyncSession, tenant_id: UUID) -> int:
        async with database.system_session() as other:
            found = await other.execute(
                text("SELECT kind FROM spending_meters FOR UPDATE SKIP LOCKED")
            )
            unlocked_meters.append(len(found.all()))
        return await count(session, tenant_id)

    app.state.settings = app.state.settings.model_copy(update={"reprocess_at_once": 1})
    assert (await tenant.post(f"/v1/calls/{plans[0].call_id}/reprocess")).status_code == 202
    monkeypatch.setattr(repository, "under_way", observed)
    refused = await tenant.post(f"/v1/calls/{plans[1].call_id}/reprocess")
    assert unlocked_meters == [0]
    assert refused.status_code == 429
    assert refused.json()["detail"].startswith("A tenant's unfinished analyses")


async def test_a_running_call_is_not_analysed(tenant: TenantClient, worker: FakeWorker) -> None:
    plan = await claimed_call(tenant, worker)
    answer = await tenant.post(f"/v1/calls/{plan.call_id}/reprocess")
    assert (answer.status_code, answer.json()["code"]) == (409, "call_not_over")


async def test_no_call_of_the_tenant_is_404(
    tenant: TenantClient, other_tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    for client, call_id in ((tenant, uuid4()), (other_tenant, plan.call_id)):
        answer = await client.post(f"/v1/calls/{call_id}/reprocess")
        assert (answer.status_code, answer.json()["code"]) == (404, "call_not_found")


async def test_a_publishable_key_neither_reads_nor_reprocesses(tenant: TenantClient) -> None:
    headers = await tenant.publishable_key()
    for method, path in (("GET", "summary"), ("POST", "reprocess")):
        answer = await tenant.http.request(method, f"/v1/calls/{uuid4()}/{path}", headers=headers)
        assert answer.status_code == 403


async def test_without_a_valid_key_it_is_401(tenant: TenantClient) -> None:
    for method, path in (("GET", "summary"), ("POST", "reprocess")):
        answer = await tenant.http.request(
            method, f"/v1/calls/{uuid4()}/{path}", headers={"Authorization": "Bearer wrong"}
        )
        assert answer.status_code == 401


async def test_an_id_that_is_none_is_400(tenant: TenantClient) -> None:
    assert (await tenant.get("/v1/calls/unknown/summary")).status_code == 400
    assert (await tenant.post("/v1/calls/unknown/reprocess")).status_code == 400


async def test_the_same_request_again_is_carried_out_once(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, run_jobs: RunJobs
) -> None:
    plan = await ended_call(tenant, worker, consumer)
    await run_jobs()
    headers = tenant.headers | {"Idempotency-Key": uuid4().hex}
    first, second = [
        await tenant.http.post(f"/v1/calls/{plan.call_id}/reprocess", headers=headers)
        for _ in range(2)
    ]
    assert (first.status_code, second.status_code) == (202, 202)
    assert first.json() == second.json()
    assert second.headers["Idempotency-Replayed"] == "true"
