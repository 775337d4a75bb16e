"""What a person reads about the phones of a call."""

from __future__ import annotations

from uuid import UUID, uuid4

import pytest
from playwright.async_api import expect

from contracts.events import KeysPressed, Logged
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from tests.control_plane.calling.carriers.conftest import linked_settings, settings
from tests.control_plane.calling.telecom.test_phone_limits_and_prices import (
    CALLEE,
    agent_id,
    price,
)
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.visitor import Visitor
from tests.control_plane.conversation import catch_up, running_call
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.fake_worker import FakeWorker

__all__ = ["agent_id", "linked_settings", "settings"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


async def test_a_calls_page_shows_its_phones_and_the_keys_that_were_pressed(
    person: Visitor,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    agent_id: UUID,
) -> None:
    await price(tenant, "+1", 0.3)
    plan = await running_call(tenant, worker, consumer)
    wanted = {"participants": [{"transport": "pstn", "identity": CALLEE}]}
    added = await tenant.post(f"/v1/calls/{plan.call_id}/participants", wanted)
    [phone] = added.json()["participants"]
    for direction, digits in (("received", "42"), ("sent", "1#"), ("received", None)):
        keys = KeysPressed.model_validate(
            {"participant_id": phone["id"], "direction": direction, "digits": digits}
        )
        await worker.ship(plan, Logged(level="info", message="Keys", keys=keys))
    elsewhere = KeysPressed(participant_id=uuid4(), direction="received", digits="77")
    await worker.ship(plan, Logged(level="info", message="Keys", keys=elsewhere))
    await catch_up(consumer)
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens(f"/console/calls/{plan.call_id}")
    shown = person.page.locator(
        "section", has=person.page.get_by_role("heading", name="Phone")
    ).last
    for words in (CALLEE, "Not dialed yet", "Twilio", "$0.30", "The person pressed 42"):
        await expect(shown).to_contain_text(words)
    await expect(shown).to_contain_text("The agent pressed 1#")
    await expect(shown).to_contain_text("The person pressed keys that are not kept")
    await expect(shown).not_to_contain_text("77")
    assert await person.sees_all_of_its_width()
    await person.keeps_a_picture("legs")
