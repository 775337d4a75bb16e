"""axe-core looks at each page, in both colours and both widths."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from playwright.async_api import Browser as Chromium

from contracts.events import TranscriptSegment
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.console.conftest import NARROW, WIDE
from tests.control_plane.console.visitor import Visitor, visitor
from tests.control_plane.conversation import catch_up, running_call
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.fake_worker import FakeWorker

pytestmark = [pytest.mark.browser, pytest.mark.timeout(240)]

PUBLIC = ["/console/log-in", "/console/sign-up", "/console/forgotten"]
PAGES = [
    "/console",
    "/console/account",
    "/console/agents",
    "/console/agents/new",
    "/console/agents/{agent}",
    "/console/agents/{agent}/publish",
    "/console/agents/{agent}/versions",
    "/console/agents/{agent}/chat",
    "/console/agents/{agent}/talk",
    "/console/calls",
    "/console/calls/{call}",
    "/console/members",
    "/console/api-keys",
    "/console/provider-keys",
    "/console/billing",
    "/console/payments",
    "/console/notifications",
    "/console/audit-log",
]
OPERATORS = ["System", "Tenants", "Catalogue", "Prices"]


async def look(person: Visitor, axe: str) -> list[str]:
    found = await serious_violations(person, axe)
    if not await person.sees_all_of_its_width():
        found.append("is wider than the window")
    return found


async def serious_violations(person: Visitor, axe: str) -> list[str]:
    """What axe calls serious or critical, each with the first element that has it."""
    await person.page.evaluate(axe)
    found: list[dict[str, Any]] = await person.page.evaluate(
        "async () => (await axe.run()).violations"
    )
    return [
        f"{each['id']}: {each['nodes'][0]['html']}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]


@pytest.mark.parametrize(("colours", "width"), [("light", WIDE), ("dark", NARROW)])
async def test_no_page_keeps_anybody_out(
    colours: Literal["light", "dark"],
    width: int,
    chrome: Chromium,
    address: str,
    axe: str,
    tenant: TenantClient,
    database: Database,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    plan = await running_call(tenant, worker, consumer)
    segment = TranscriptSegment(
        sequence=0, speaker="agent", text="Hello!", started_at_ms=0, ended_at_ms=900
    )
    await worker.ship(plan, segment)
    await worker.end(plan, 20_000)
    await catch_up(consumer)
    owner = await dashboard_client(tenant, database, "owner")
    # axe is a script of its own, which the page's policy refuses.
    async with visitor(chrome, address, width=width, colours=colours, bypass_csp=True) as person:
        found: dict[str, list[str]] = {}
        for path in PUBLIC + PAGES:
            if path == PAGES[0]:
                await person.has(owner.token)
            await person.opens(path.format(agent=plan.agent_id, call=plan.call_id))
            found[path] = await look(person, axe)
        await person.opens(f"/console/agents/{plan.agent_id}/chat")
        await person.presses("Start the chat")
        await person.page.get_by_label("Your message").wait_for()
        found["a chat"] = await look(person, axe)
        await person.opens("/console/operator")
        found["operator, closed"] = await look(person, axe)
        await person.fills("Operator's token", OPERATOR["Authorization"].removeprefix("Bearer "))
        await person.presses("Open")
        for tab in OPERATORS:
            await person.follows(tab)
            await person.page.locator(".table").first.wait_for()
            found[f"operator, {tab}"] = await look(person, axe)
        assert {page: faults for page, faults in found.items() if faults} == {}
