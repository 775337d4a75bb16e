"""What a person sees of calls while they run, and how they find those that are over."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from playwright.async_api import Locator, Route, expect
from redis.asyncio import Redis

from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason
from contracts.events import ToolCalled, TranscriptSegment
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from tests.control_plane.calling.live_view.viewer import tell, words
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.visitor import Visitor
from tests.control_plane.conversation import catch_up, create_call, running_call
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.fake_worker import FakeWorker

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


@pytest.fixture
async def plan(
    person: Visitor,
    tenant: TenantClient,
    database: Database,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> CallPlan:
    """A call in progress; the person is an owner of its tenant."""
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    return await running_call(tenant, worker, consumer)


def calls_in(person: Visitor) -> Locator:
    return person.page.locator("tbody tr")


async def test_the_list_changes_by_itself_when_a_call_begins_and_when_it_ends(
    person: Visitor,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    plan: CallPlan,
) -> None:
    await person.opens("/console/calls")
    await expect(calls_in(person)).to_have_count(1)
    await expect(calls_in(person)).to_contain_text("In progress")
    await worker.end(plan, 20_000)
    await catch_up(consumer)
    await expect(calls_in(person)).to_contain_text("Completed")
    await create_call(tenant, plan.agent_id)
    await expect(calls_in(person)).to_have_count(2)
    assert await person.sees_all_of_its_width()


async def test_a_call_that_ends_leaves_the_list_of_those_in_progress(
    person: Visitor, worker: FakeWorker, consumer: EventConsumer, plan: CallPlan
) -> None:
    await person.opens("/console/calls?status=in_progress")
    await expect(calls_in(person)).to_have_count(1)
    await worker.end(plan, 20_000)
    await catch_up(consumer)
    await expect(person.page.get_by_text("No calls here yet.")).to_be_visible()


async def test_calls_behind_the_first_page_change_by_themselves_too(
    person: Visitor,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    plan: CallPlan,
) -> None:
    async def with_short_pages(route: Route) -> None:
        limit = re.compile(r"limit=(\d+)")
        address = limit.sub(lambda found: f"limit={int(found[1]) // 30}", route.request.url)
        await route.continue_(url=address)

    await running_call(tenant, worker, consumer)
    await person.page.route(re.compile(r"/v1/calls\?"), with_short_pages)
    await person.opens("/console/calls")
    await expect(calls_in(person)).to_have_count(1)
    await person.presses("Show more")
    await expect(calls_in(person)).to_have_count(2)
    await worker.end(plan, 20_000)
    await catch_up(consumer)
    await expect(calls_in(person).last).to_contain_text("Completed")


async def test_a_running_call_that_could_not_be_followed_is_read_along_soon(
    person: Visitor, redis: Redis, plan: CallPlan
) -> None:
    async def is_refused(route: Route) -> None:
        await route.fulfill(status=503, json={"code": "too_many_viewers"})

    page, stream = person.page, f"**/v1/calls/{plan.call_id}/stream"
    await page.clock.install()
    await page.route(stream, is_refused)
    await person.opens(f"/console/calls/{plan.call_id}")
    await page.unroute(stream)
    async with page.expect_response(stream):
        await page.clock.fast_forward(10_000)
    await tell(redis, plan.call_id, words("I would like a table.", sequence=0))
    await expect(page.locator(".said")).to_have_text("I would like a table.")


async def test_a_running_call_is_read_along_until_it_is_over(
    person: Visitor, redis: Redis, worker: FakeWorker, consumer: EventConsumer, plan: CallPlan
) -> None:
    await person.opens(f"/console/calls/{plan.call_id}")
    await tell(redis, plan.call_id, words("I would like", final=False))
    said = person.page.locator(".said")
    await expect(said).to_have_text("I would like")
    await tell(redis, plan.call_id, words("I would like a table.", sequence=0))
    await expect(said).to_have_text("I would like a table.")
    segment = TranscriptSegment(
        sequence=0, speaker="user", text="I would like a table.", started_at_ms=0, ended_at_ms=900
    )
    await worker.ship(plan, segment)
    await worker.end(plan, 20_000)
    await catch_up(consumer)
    await expect(person.page.get_by_role("button", name="Export JSON")).to_be_visible()
    await expect(said).to_have_text("I would like a table.")


async def test_a_running_call_is_ended_after_a_question(
    person: Visitor, worker: FakeWorker, plan: CallPlan
) -> None:
    await person.opens(f"/console/calls/{plan.call_id}")
    await person.presses("End the call")
    dialog = person.page.get_by_role("dialog")
    async with person.page.expect_request("**/end") as asked:
        await dialog.get_by_role("button", name="End the call").click()
    assert (await asked.value).method == "POST"
    assert (await worker.next_command()).body.type == "call.end"


async def test_calls_are_filtered_by_status_and_agent_and_the_address_keeps_the_filter(
    person: Visitor,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    plan: CallPlan,
) -> None:
    await worker.end(plan, 1_000, EndReason.NO_PROVIDER_CONNECTED)
    other = await running_call(tenant, worker, consumer)
    await person.opens("/console/calls")
    await expect(calls_in(person)).to_have_count(2)
    await person.page.get_by_label("Status").select_option("failed")
    await expect(calls_in(person)).to_have_count(1)
    await expect(calls_in(person)).to_contain_text("No provider connected")
    await person.page.get_by_label("Agent").select_option(str(other.agent_id))
    await expect(person.page.get_by_text("No calls here yet.")).to_be_visible()
    await person.page.reload()
    await expect(person.page.get_by_label("Status")).to_have_value("failed")
    await person.page.get_by_label("Status").select_option("")
    await expect(calls_in(person)).to_have_count(1)
    await expect(calls_in(person)).to_contain_text("In progress")


async def test_a_call_is_taken_away_as_a_file_and_its_events_tell_of_its_tools(
    person: Visitor,
    worker: FakeWorker,
    consumer: EventConsumer,
    plan: CallPlan,
    tmp_path: Path,
) -> None:
    await worker.ship(
        plan,
        TranscriptSegment(
            sequence=0, speaker="user", text="Two, please.", started_at_ms=0, ended_at_ms=900
        ),
        ToolCalled(name="find_tables", output='{"free": 2}', duration_ms=180),
    )
    await worker.end(plan, 20_000)
    await catch_up(consumer)
    await person.opens(f"/console/calls/{plan.call_id}")
    await person.page.get_by_text("Events (").click()
    log = person.page.locator(".log")
    await expect(log).to_contain_text('Tool find_tables was called and took 180 ms: {"free": 2}')
    assert await person.sees_all_of_its_width()
    saved = {}
    for name in ("Export JSON", "Transcript"):
        async with person.page.expect_download() as download:
            await person.page.get_by_role("button", name=name).click()
        saved[name] = tmp_path / (await download.value).suggested_filename
        await (await download.value).save_as(saved[name])
    exported = json.loads(saved["Export JSON"].read_text())
    assert exported["id"] == str(plan.call_id)
    assert exported["transcript"]["segments"][0]["text"] == "Two, please."
    assert "Two, please." in saved["Transcript"].read_text()
