from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import text

from control_plane.notifying.webhooks.delivering.runner import DeliveryRunner
from control_plane.notifying.webhooks.fan_out import WebhookFanOut
from control_plane.platform.database import Database
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.outbox.reader import OutboxReader
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.notifying.notifications.conftest import (
    mailbox,
    run_jobs,
    with_refusing_smtp,
    with_smtp,
)
from tests.stand_ins.webhook_receiver import WebhookReceiver

__all__ = ["mailbox", "run_jobs", "with_refusing_smtp", "with_smtp"]

SECRET = "a secret of the tests"
EVENTS = ["agent.published", "call.completed", "call.started"]

Deliver = Callable[[], Awaitable[None]]


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    """Webhooks may be at ``http://127.0.0.1``."""
    return settings.model_copy(
        update={"environment": "test", "outbound_allowed_networks": ("127.0.0.0/8",)}
    )


@pytest.fixture
async def receiver() -> AsyncIterator[WebhookReceiver]:
    async with WebhookReceiver().serving() as receiver:
        yield receiver


@pytest.fixture
async def deliver(database: Database, settings: ControlPlaneSettings) -> AsyncIterator[Deliver]:
    """Runs the work of the role ``notifying`` until nothing is due any more. Tries that are to
    come later are made at once."""
    runner = DeliveryRunner(database, settings)
    reader = OutboxReader(database, [WebhookFanOut(wake=runner.wake)])
    working = asyncio.create_task(runner.run())

    async def all_of_it() -> None:
        while await reader.read():
            pass
        runner.wake()
        while await _pending(database):
            await _hurry(database)
            runner.wake()
            await asyncio.sleep(0.02)

    yield all_of_it
    working.cancel()
    await asyncio.gather(working, return_exceptions=True)


async def _pending(database: Database) -> int:
    async with database.system_session() as session:
        return int(
            await session.scalar(
                text("SELECT count(*) FROM webhook_deliveries WHERE status = 'pending'")
            )
            or 0
        )


async def _hurry(database: Database) -> None:
    """Those that are being tried are not begun again: the one process here knows them."""
    async with database.system_session() as session:
        await session.execute(
            text(
                "UPDATE webhook_deliveries SET next_try_at = now() WHERE status = 'pending'"
                " AND next_try_at BETWEEN now() AND now() + interval '11 s'"
            )
        )


async def register(tenant: TenantClient, url: str, **fields: Any) -> UUID:
    wanted = {"url": url, "events": EVENTS, "secret": SECRET} | fields
    answer = await tenant.post("/v1/webhooks", wanted)
    assert answer.status_code == 201, answer.text
    return UUID(answer.json()["id"])


async def publish(database: Database, tenant: TenantClient, title: str = "Mia is live") -> None:
    """Add a fact that webhooks can subscribe to."""
    async with database.system_session() as session:
        add_notification_event(
            session,
            tenant.tenant_id,
            "agent.published",
            title=title,
            message="Version 3 of Mia is live; ask +1 415 555 0100.",
            metadata={"agent_id": "4c2b8f6e-0000-4000-8000-000000000002", "version": 3},
        )


async def deliveries(tenant: TenantClient, webhook_id: UUID, query: str = "") -> list[Any]:
    answer = await tenant.get(f"/v1/webhooks/{webhook_id}/deliveries{query}")
    assert answer.status_code == 200, answer.text
    return list(answer.json()["deliveries"])
