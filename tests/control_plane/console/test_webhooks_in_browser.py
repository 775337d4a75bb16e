"""Webhooks and notifications in the console, in windows of two widths."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.visitor import SLOW_MS, Visitor
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.notifying.notifications.facts import read_facts, tell
from tests.control_plane.notifying.webhooks.conftest import (
    SECRET,
    Deliver,
    deliver,
    publish,
    receiver,
    register,
)
from tests.stand_ins.webhook_receiver import WebhookReceiver

__all__ = ["deliver", "receiver"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    """Webhooks may be at ``http://127.0.0.1``."""
    return settings.model_copy(
        update={"environment": "test", "outbound_allowed_networks": ("127.0.0.0/8",)}
    )


async def test_a_webhook_is_registered_tested_and_deleted(
    person: Visitor, tenant: TenantClient, database: Database, receiver: WebhookReceiver
) -> None:
    owner = await dashboard_client(tenant, database, "owner")
    await person.has(owner.token)
    await person.opens("/console/webhooks")
    await person.presses("New webhook")
    await person.fills("Address", receiver.url)
    await person.fills("Secret", SECRET)
    await person.presses("Register")
    await expect(person.page.get_by_text("The webhook is registered")).to_be_visible()
    await person.follows(receiver.url)
    await person.reads("Webhook")
    assert await person.sees_all_of_its_width()
    await person.presses("Send a test")
    await person.presses("Send")
    await expect(person.page.get_by_role("dialog")).to_contain_text("Delivered.", timeout=SLOW_MS)
    await expect(person.page.get_by_role("dialog")).to_contain_text("thanks")
    assert receiver.received[0].is_signed_with(SECRET)
    assert SECRET not in await person.page.content()
    await person.presses("Close")
    await person.presses("Delete")
    await person.page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await person.reads("Webhooks")
    await expect(person.page.get_by_text("No webhooks yet.")).to_be_visible()


async def test_a_failed_delivery_is_looked_at_and_replayed(
    person: Visitor,
    tenant: TenantClient,
    database: Database,
    receiver: WebhookReceiver,
    deliver: Deliver,
) -> None:
    receiver.statuses, receiver.answer = [500], "the shop is closed"
    webhook_id = await register(tenant, receiver.url)
    await publish(database, tenant)
    await deliver()
    owner = await dashboard_client(tenant, database, "owner")
    await person.has(owner.token)
    await person.opens(f"/console/webhooks/{webhook_id}?status=failed")
    assert await person.sees_all_of_its_width()
    await person.presses("Look")
    dialog = person.page.get_by_role("dialog")
    await expect(dialog).to_contain_text("X-Svc-Signature")
    await expect(dialog).to_contain_text("The answer was 500; 2xx was expected.")
    await expect(dialog).to_contain_text("the shop is closed")
    await person.presses("Close")
    receiver.statuses = [200]
    await person.presses("Replay")
    await expect(person.page.get_by_text("It is sent again")).to_be_visible()
    await deliver()
    await person.opens(f"/console/webhooks/{webhook_id}?status=delivered")
    await expect(person.page.get_by_role("button", name="Look")).to_be_visible()
    assert len(receiver.received) == 6


async def test_the_bell_tells_of_a_new_notification(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    await read_facts(database)
    owner = await dashboard_client(tenant, database, "owner")
    await owner.request("PUT", "/v1/notifications/read-all")
    await person.has(owner.token)
    await person.opens("/console/agents")
    bell = person.page.locator("a.bell")
    await expect(bell).to_have_accessible_name("No new notifications", timeout=SLOW_MS)
    await tell(database, tenant.tenant_id, title="Nora failed")
    await expect(bell).to_have_accessible_name("1 new notification", timeout=SLOW_MS)
    await expect(person.page.locator("#notices")).to_contain_text("Nora failed")
    await bell.click()
    await person.reads("Notifications")
    await person.presses("Mark all as read")
    await expect(person.page.get_by_role("button", name="Mark as read")).to_have_count(0)
    await expect(bell).to_have_accessible_name("No new notifications", timeout=SLOW_MS)


async def test_a_preference_is_kept(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    owner = await dashboard_client(tenant, database, "owner")
    await person.has(owner.token)
    await person.opens("/console/notifications")
    assert await person.sees_all_of_its_width()
    box = person.page.get_by_label("Webhook: Billing low balance", exact=True)
    async with person.page.expect_response(lambda answer: answer.request.method == "PUT"):
        await box.check()
    rows = (await tenant.get("/v1/notifications/preferences")).json()["data"]
    [low] = [row for row in rows if row["event_category"] == "billing.low_balance"]
    assert low["webhook_enabled"] is True
