"""Processes die, share the work and meet endpoints that hang: everything is delivered."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from control_plane.notifying.webhooks.delivering import delivery_repository
from control_plane.notifying.webhooks.delivering import runner as runner_module
from control_plane.notifying.webhooks.delivering.delivery_repository import Recorded
from control_plane.notifying.webhooks.delivering.fairness import SLOTS_OF_ENDPOINT
from control_plane.notifying.webhooks.delivering.runner import DeliveryRunner
from control_plane.notifying.webhooks.delivering.sending import Outcome
from control_plane.notifying.webhooks.fan_out import WebhookFanOut
from control_plane.notifying.webhooks.requests import DeliveryRequest
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.outbox.reader import OutboxReader
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.notifying.webhooks.conftest import deliveries, publish, register
from tests.stand_ins.webhook_receiver import WebhookReceiver

TRY = Recorded(
    id=UUID(int=0),
    webhook_id=UUID(int=0),
    event="agent.published",
    status="failed",
    tries_left=0,
    next_try_at=None,
    finished_at=datetime.now(UTC),
    started_at=datetime.now(UTC),
    duration_ms=5_000,
    status_code=None,
    error="No answer came within 5 s.",
    answer=None,
)
"""The last of a delivery."""


@contextlib.asynccontextmanager
async def running(
    database: Database, settings: ControlPlaneSettings
) -> AsyncIterator[DeliveryRunner]:
    """Killed at the end: what it is doing is left as it is."""
    runner = DeliveryRunner(database, settings)
    working = asyncio.create_task(runner.run())
    yield runner
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)


async def fan_out(database: Database) -> None:
    reader = OutboxReader(database, [WebhookFanOut()])
    while await reader.read():
        pass


async def delivered(database: Database) -> int:
    async with database.system_session() as session:
        return int(
            await session.scalar(
                text("SELECT count(*) FROM webhook_deliveries WHERE status = 'delivered'")
            )
            or 0
        )


async def until_delivered(database: Database, count: int) -> None:
    for _ in range(600):
        if await delivered(database) >= count:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{await delivered(database)} of {count} were delivered")


async def until_tried(database: Database, count: int) -> None:
    for _ in range(600):
        async with database.system_session() as session:
            tried = await session.scalar(text("SELECT count(*) FROM webhook_tries"))
        if tried >= count:
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"{tried} of {count} were tried")


async def until_received(receiver: WebhookReceiver) -> None:
    for _ in range(600):
        if receiver.received:
            return
        await asyncio.sleep(0.05)
    raise AssertionError("nothing was received")


async def let_claims_lapse(database: Database) -> None:
    async with database.system_session() as session:
        await session.execute(text("UPDATE webhook_deliveries SET next_try_at = now()"))


async def test_a_try_whose_process_died_is_made_again_by_another(
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    settings: ControlPlaneSettings,
) -> None:
    receiver.hangs = True
    webhook_id = await register(tenant, receiver.url)
    await publish(database, tenant)
    await fan_out(database)
    async with running(database, settings):
        await until_received(receiver)
    receiver.hangs = False
    async with running(database, settings) as other:
        await asyncio.sleep(0.3)
        assert len(receiver.received) == 1, "it still belongs to the first"
        await let_claims_lapse(database)
        other.wake()
        await until_delivered(database, 1)
    [delivery] = await deliveries(tenant, webhook_id)
    assert delivery["tries"] == 1, "the try of the dead process was not written down"
    first, second = receiver.received
    assert first.headers["webhook-id"] == second.headers["webhook-id"]


async def test_processes_share_the_work_and_nothing_is_sent_twice(
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    settings: ControlPlaneSettings,
) -> None:
    await register(tenant, receiver.url)
    for number in range(40):
        await publish(database, tenant, f"Event {number}")
    await fan_out(database)
    async with running(database, settings), running(database, settings):
        await until_delivered(database, 40)
    titles = [request.document["data"]["title"] for request in receiver.received]
    assert len(titles) == len(set(titles)) == 40


async def test_an_endpoint_that_hangs_holds_up_nobody(
    tenant: TenantClient,
    other_tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    settings: ControlPlaneSettings,
) -> None:
    async with WebhookReceiver(hangs=True).serving() as hanging:
        await register(tenant, hanging.url)
        await register(tenant, receiver.url)
        await register(other_tenant, receiver.url)
        for _ in range(30):
            await publish(database, tenant)
        await publish(database, other_tenant)
        await fan_out(database)
        async with running(database, settings):
            await until_delivered(database, 31)
        assert len(hanging.received) <= 16, "few tries at once"


async def test_a_long_replay_does_not_hide_what_is_new(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database
) -> None:
    webhook_id = await register(tenant, receiver.url)
    for _ in range(SLOTS_OF_ENDPOINT):
        await publish(database, tenant)
    await fan_out(database)
    async with database.system_session() as session:
        await session.execute(text("UPDATE webhook_deliveries SET status = 'failed'"))
    span = {"from": "2000-01-01T00:00:00Z", "to": "2999-01-01T00:00:00Z"}
    replay = await tenant.post(f"/v1/webhooks/{webhook_id}/replay", span)
    assert replay.json()["count"] == SLOTS_OF_ENDPOINT
    await publish(database, tenant)
    await fan_out(database)
    async with database.system_session() as session:
        due = await delivery_repository.due(
            session, 100, without_webhooks=(), without_tenants=(), without=()
        )
    assert [each.is_replay for each in due] == [True] * SLOTS_OF_ENDPOINT + [False]


async def test_a_try_is_written_down_when_postgresql_is_back(
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    settings: ControlPlaneSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    webhook_id: UUID = await register(tenant, receiver.url)
    await publish(database, tenant)
    await fan_out(database)
    record = delivery_repository.record
    failures = 0

    async def fails_once(*arguments: object) -> object:
        nonlocal failures
        failures += 1
        if failures == 1:
            raise DatabaseUnavailable
        return await record(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(delivery_repository, "record", fails_once)
    async with running(database, settings):
        await until_delivered(database, 1)
    assert len(receiver.received) == 1
    assert [each["tries"] for each in await deliveries(tenant, webhook_id)] == [1]


async def recorded(database: Database, result: Recorded) -> bool:
    """Whether the try counts."""
    async with database.system_session() as session:
        return await delivery_repository.record(session, [result]) == [result]


async def test_a_failed_try_that_is_written_down_late_does_not_undo_a_delivery(
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    settings: ControlPlaneSettings,
) -> None:
    """Its process stalled for longer than its claim, and another delivered the event meanwhile."""
    webhook_id = await register(tenant, receiver.url, alert_email="ops@example.com")
    await publish(database, tenant)
    await fan_out(database)
    async with running(database, settings):
        await until_delivered(database, 1)
    [before] = await deliveries(tenant, webhook_id)
    late = replace(TRY, id=UUID(before["id"]), webhook_id=webhook_id)
    await DeliveryRunner(database, settings)._record([late])
    assert await deliveries(tenant, webhook_id) == [before]
    async with database.system_session() as session:
        webhook = (
            await session.execute(text("SELECT failing_since, alerted_at FROM webhooks"))
        ).one()
    assert tuple(webhook) == (None, None), "the endpoint is well, and nobody is alerted"


async def test_a_success_that_is_written_down_late_counts_after_the_last_failure(
    tenant: TenantClient, receiver: WebhookReceiver, database: Database
) -> None:
    webhook_id = await register(tenant, receiver.url)
    await publish(database, tenant)
    await fan_out(database)
    [pending] = await deliveries(tenant, webhook_id)
    failed = replace(TRY, id=UUID(pending["id"]), webhook_id=webhook_id)
    success = replace(failed, status="delivered", status_code=200, error=None)
    assert [await recorded(database, each) for each in (failed, success, failed)] == [
        True,
        True,
        False,
    ]
    [delivery] = await deliveries(tenant, webhook_id)
    assert (delivery["status"], delivery["tries"]) == ("delivered", 2)


async def test_an_event_that_cannot_be_put_together_holds_up_no_other(
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    settings: ControlPlaneSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    webhook_id = await register(tenant, receiver.url)
    for title in ("Good", "Broken", "Also good"):
        await publish(database, tenant, title)
    await fan_out(database)
    put_together = runner_module.delivery_request

    def breaking(**parts: Any) -> DeliveryRequest:
        if "Broken" in str(parts["data"]):
            raise KeyError("title")
        return put_together(**parts)

    monkeypatch.setattr(runner_module, "delivery_request", breaking)
    async with running(database, settings):
        await until_delivered(database, 2)
    unmade = [each for each in await deliveries(tenant, webhook_id) if each["status"] == "pending"]
    assert [each["tries"] for each in unmade] == [1]
    assert len(receiver.received) == 2


async def test_a_try_that_breaks_off_in_an_unknown_way_is_written_down_and_holds_up_no_other(
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    settings: ControlPlaneSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    odd = await register(tenant, f"{receiver.url}/odd")
    await register(tenant, receiver.url)
    for _ in range(2):
        await publish(database, tenant)
    await fan_out(database)
    send = runner_module.send

    async def breaking(client: Any, url: str, *request: Any) -> Outcome:
        if url.endswith("/odd"):
            raise RuntimeError("nobody has thought of it")
        return await send(client, url, *request)

    monkeypatch.setattr(runner_module, "send", breaking)
    async with running(database, settings):
        await until_delivered(database, 2)
        await until_tried(database, 4)
    assert all(each["tries"] for each in await deliveries(tenant, odd))
    assert len(receiver.received) == 2


async def test_payloads_that_take_longer_than_a_transaction_are_made_in_several(
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    postgres_url: str,
    settings: ControlPlaneSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Many endpoints are told of one long call."""
    for _ in range(20):
        await register(tenant, receiver.url)
    await publish(database, tenant)
    await fan_out(database)
    payload = runner_module.delivered_payload

    async def slow(*of_call: Any) -> dict[str, Any]:
        await asyncio.sleep(0.15)
        return await payload(*of_call)

    monkeypatch.setattr(runner_module, "RETRY_SECONDS", 0.1)
    monkeypatch.setattr(runner_module, "delivered_payload", slow)
    hurried = Database(postgres_url, deadline_seconds=2)
    try:
        async with running(hurried, settings):
            await until_delivered(database, 20)
    finally:
        await hurried.aclose()


@pytest.mark.latency
async def test_a_delivery_is_tried_again_on_time_while_nothing_else_happens(
    tenant: TenantClient,
    receiver: WebhookReceiver,
    database: Database,
    settings: ControlPlaneSettings,
) -> None:
    receiver.statuses = [500]
    await register(tenant, receiver.url)
    await publish(database, tenant)
    await fan_out(database)
    async with running(database, settings):
        for _ in range(200):
            if len(receiver.received) >= 2:
                break
            await asyncio.sleep(0.05)
    first, second = (int(each.headers["x-svc-timestamp"]) for each in receiver.received[:2])
    assert 800 <= second - first <= 1_200 + 250, "1 s ± 20 %, and what a try itself takes"
