"""What a person reads about a call that is over, and about all of them on the first page."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason
from contracts.events import TranscriptSegment, TurnMeasured
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from tests.control_plane.building.catalogue.costs import charge_for_the_playbook
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.visitor import Visitor
from tests.control_plane.conversation import catch_up, claimed_call, running_call
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.fake_worker import FakeWorker

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


@pytest.fixture
async def plan(
    tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer, database: Database
) -> CallPlan:
    """A call that is over, in which the agent answered after 640 ms."""
    await charge_for_the_playbook(database)
    plan = await running_call(tenant, worker, consumer)
    said = TranscriptSegment(
        sequence=0, speaker="agent", text="Hello!", started_at_ms=0, ended_at_ms=900
    )
    await worker.ship(plan, said, TurnMeasured(sequence=0, end_to_end_ms=640))
    await worker.end(plan, 20_000)
    await catch_up(consumer)
    return plan


async def test_a_bill_goes_down_to_its_price_rows(
    person: Visitor, tenant: TenantClient, database: Database, plan: CallPlan
) -> None:
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens(f"/console/calls/{plan.call_id}")
    bill = person.page.locator("section", has=person.page.get_by_role("heading", name="Bill"))
    await expect(bill.last).to_contain_text("Language model")
    await expect(bill.last).to_contain_text("Total")
    await person.page.get_by_text("Where it comes from").click()
    for row in plan.prices:
        await expect(bill.last).to_contain_text(str(row.price_id))
    transactions = (await tenant.get("/v1/billing/transactions")).json()["transactions"]
    [charge] = [each for each in transactions if each["call_id"] == str(plan.call_id)]
    await expect(bill.last).to_contain_text(charge["id"])
    assert await person.sees_all_of_its_width()


async def test_words_of_a_right_to_left_language_begin_on_the_right(
    person: Visitor,
    tenant: TenantClient,
    database: Database,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    hebrew = "\u05e9\u05dc\u05d5\u05dd!"
    plan = await running_call(tenant, worker, consumer)
    said = TranscriptSegment(
        sequence=0, speaker="user", text=hebrew, started_at_ms=0, ended_at_ms=900
    )
    await worker.ship(plan, said)
    await worker.end(plan, 20_000)
    await catch_up(consumer)
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens(f"/console/calls/{plan.call_id}")
    words = person.page.get_by_text(hebrew, exact=True)
    assert await words.evaluate("(node) => getComputedStyle(node).direction") == "rtl"
    await person.opens(f"/console/agents/{plan.agent_id}")
    await person.fills("Company", hebrew)
    company = person.page.get_by_label("Company", exact=True)
    assert await company.evaluate("(node) => getComputedStyle(node).direction") == "rtl"


async def test_the_first_page_shows_the_share_of_calls_that_were_answered(
    person: Visitor,
    tenant: TenantClient,
    database: Database,
    plan: CallPlan,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    unanswered = await claimed_call(tenant, worker)
    await worker.end(unanswered, None, EndReason.CLIENT_DISCONNECTED)
    await catch_up(consumer)
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens("/console")
    answered = person.page.locator(".figures > div", has_text="Answered")
    await expect(answered).to_contain_text("50 %")


async def test_the_first_page_shows_how_fast_agents_answered(
    person: Visitor, tenant: TenantClient, database: Database, plan: CallPlan
) -> None:
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens("/console")
    chart = person.page.get_by_role("img", name="Answered within")
    await expect(chart).to_have_attribute(
        "aria-label", re.compile("half within 640 ms, 95 of 100 within 640 ms$")
    )
    assert await person.sees_all_of_its_width()
