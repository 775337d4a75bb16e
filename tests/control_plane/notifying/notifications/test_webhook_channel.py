"""Notifications that webhooks are sent, in the list of deliveries."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from uuid import uuid4

import pytest

from contracts.money import MICROS_PER_USD
from control_plane.money.billing import notices
from control_plane.notifying.notifications import settings_repository
from control_plane.notifying.notifications.fact_consumer import NotificationWriter
from control_plane.notifying.notifications.signals.call_watcher import CallWatcher
from control_plane.notifying.notifications.webhook_preference import webhook_is_preferred
from control_plane.notifying.webhooks.fan_out import WebhookFanOut
from control_plane.platform.database import Database
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.outbox.reader import OutboxReader
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.notifying.webhooks.conftest import Deliver, deliver, receiver, register
from tests.stand_ins.webhook_receiver import WebhookReceiver

__all__ = ["deliver", "receiver"]
LOW = "billing.low_balance"
Read = Callable[[], Awaitable[None]]


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    """Webhooks may be at ``http://127.0.0.1``."""
    return settings.model_copy(
        update={"environment": "test", "outbound_allowed_networks": ("127.0.0.0/8",)}
    )


@pytest.fixture
def read(database: Database) -> Read:
    """Reads the outbox to its end, with all consumers that concern webhooks."""
    consumers = [
        CallWatcher(),
        NotificationWriter(["in_app", "webhook"]),
        WebhookFanOut(webhook_is_preferred),
    ]

    async def to_the_end() -> None:
        reader = OutboxReader(database, consumers)
        while await reader.read():
            pass

    return to_the_end


async def rows(tenant: TenantClient) -> list[tuple[Any, ...]]:
    page = await tenant.get("/v1/notifications/deliveries?channel=webhook")
    assert page.status_code == 200, page.text
    return [
        (row["notification"]["event_category"], row["status"], row["attempt_count"])
        for row in page.json()["data"]
    ]


async def tell_low(database: Database, tenant: TenantClient) -> None:
    async with database.system_session() as session:
        add_notification_event(
            session, tenant.tenant_id, LOW, title="Low", message="$1.", metadata={}
        )


async def prefer(tenant: TenantClient) -> None:
    body = {"event_category": LOW, "webhook_enabled": True}
    answer = await tenant.request("PUT", "/v1/notifications/preferences", json=body)
    assert answer.status_code == 200, answer.text


async def test_a_balance_that_webhooks_are_told_is_a_delivery_with_its_tries(
    tenant: TenantClient,
    database: Database,
    receiver: WebhookReceiver,
    deliver: Deliver,
    read: Read,
) -> None:
    await register(tenant, receiver.url, events=[LOW])
    await tell_low(database, tenant)
    await read()
    assert await rows(tenant) == [], "the preference is off"
    await prefer(tenant)
    await tell_low(database, tenant)
    await read()
    assert await rows(tenant) == [(LOW, "queued", 0)]
    receiver.statuses = [500, 200]
    await deliver()
    assert await rows(tenant) == [(LOW, "sent", 2)]
    assert {each.headers["x-svc-event"] for each in receiver.received} == {LOW}


async def test_a_delivery_that_fails_says_why(
    tenant: TenantClient,
    database: Database,
    receiver: WebhookReceiver,
    deliver: Deliver,
    read: Read,
) -> None:
    receiver.statuses = [500]
    await register(tenant, receiver.url, events=[LOW])
    await prefer(tenant)
    await tell_low(database, tenant)
    await read()
    await deliver()
    assert await rows(tenant) == [(LOW, "failed", 5)]
    page = (await tenant.get("/v1/notifications/deliveries?channel=webhook")).json()
    assert page["data"][0]["last_error"] == "The answer was 500; 2xx was expected."


@pytest.mark.parametrize("forced", [True, False])
async def test_a_test_reaches_webhooks_where_it_is_forced_or_preferred(
    forced: bool,
    tenant: TenantClient,
    receiver: WebhookReceiver,
    deliver: Deliver,
    read: Read,
) -> None:
    await register(tenant, receiver.url, events=[LOW])
    wanted = {"force_channels": ["webhook"]} if forced else {"requested_channels": ["webhook"]}
    answer = await tenant.post("/v1/notifications/test", wanted)
    assert answer.status_code == 200, answer.text
    await read()
    await deliver()
    documents = [each.document for each in receiver.received]
    assert len(documents) == (1 if forced else 0)
    if forced:
        assert documents[0]["type"] == LOW
        assert documents[0]["data"]["notification_id"] == answer.json()["jobId"]
        assert await rows(tenant) == [(LOW, "sent", 1)]


async def test_the_test_of_a_top_up_is_no_top_up(
    tenant: TenantClient, database: Database, receiver: WebhookReceiver, read: Read
) -> None:
    category = "billing.topup_confirmed"
    await register(tenant, receiver.url, events=[category])
    async with database.system_session() as session:
        notices.tell_top_up(session, tenant.tenant_id, 50 * MICROS_PER_USD, transaction_id=uuid4())
    wanted = {"event_category": category, "force_channels": ["webhook"]}
    assert (await tenant.post("/v1/notifications/test", wanted)).status_code == 200
    await read()
    async with database.system_session() as session:
        settings = await settings_repository.of_tenant(session, tenant.tenant_id)
    assert settings.last_top_up_micros == 50 * MICROS_PER_USD
    feed = (await tenant.get("/v1/notifications?limit=200")).json()["data"]
    assert [each["event_category"] for each in feed].count(category) == 2, "the fact and the test"
