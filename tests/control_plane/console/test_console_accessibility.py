"""axe-core looks at each page, in both colours and both widths.

With ``SWITCHBOARD_SCREENSHOTS=DIRECTORY`` each page is shown in either colour at either width, and
the pictures are written there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser as Chromium
from playwright.async_api import expect

from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.platform.database import Database
from control_plane.platform.job_queue import job_queue, worker_connector
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.recordings.recorded_call import RecordedCall
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.console.axe import serious_violations
from tests.control_plane.console.conftest import NARROW, WIDE
from tests.control_plane.console.furnished import Furnished, furnish
from tests.control_plane.console.visitor import SCREENSHOTS, Visitor, visitor
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.fake_worker import FakeWorker

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]

PUBLIC = {
    "log-in": "/console/log-in",
    "sign-up": "/console/sign-up",
    "forgotten": "/console/forgotten",
    "docs": "/docs",
    "confirm-email": "/confirm-email?token=x",
    "password-reset": "/password-reset?token=x",
    "invitation": "/invitations/accept?token=x",
    "bad link": "/call?agent=x",
}
EMPTY = {
    "new home": "/console",
    "no agents": "/console/agents",
    "no calls": "/console/calls",
}
"""Pages of an account in which nothing has happened yet."""
PAGES = {
    "home": "/console",
    "account": "/console/account",
    "agents": "/console/agents",
    "new-agent": "/console/agents/new",
    "configure": "/console/agents/{agent}",
    "publish": "/console/agents/{agent}/publish",
    "blocked": "/console/agents/{draft}/publish",
    "versions": "/console/agents/{agent}/versions",
    "chat": "/console/agents/{agent}/chat",
    "talk": "/console/agents/{agent}/talk",
    "knowledge": "/console/agents/{agent}/knowledge",
    "no-knowledge": "/console/agents/{draft}/knowledge",
    "sharing": "/console/agents/{agent}/sharing",
    "agent-calls": "/console/agents/{agent}/calls",
    "calls": "/console/calls",
    "call": "/console/calls/{call}",
    "failed-call": "/console/calls/{failed}",
    "running-call": "/console/calls/{running}",
    "members": "/console/members",
    "api-keys": "/console/api-keys",
    "provider-keys": "/console/provider-keys",
    "phones": "/console/phones",
    "billing": "/console/billing",
    "payments": "/console/payments",
    "webhooks": "/console/webhooks",
    "webhook": "/console/webhooks/{webhook}",
    "notifications": "/console/notifications",
    "audit-log": "/console/audit-log",
    "nothing here": "/console/nothing",
    "no such agent": "/console/agents/00000000-0000-0000-0000-000000000000",
}
OPERATORS = [
    "System",
    "Tenants",
    "Catalogue",
    "Prices",
    "Plans and taxes",
    "Invoices",
    "Margin",
]
LOOKS = [("light", WIDE), ("dark", NARROW)]
if os.environ.get(SCREENSHOTS):
    LOOKS += [("dark", WIDE), ("light", NARROW)]


@pytest.fixture
async def call(
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
    settings: ControlPlaneSettings,
    tmp_path: Path,
) -> RecordedCall:
    return RecordedCall(tenant, worker, consumer, database, settings, tmp_path / "objects")


async def furnished(call: RecordedCall) -> Furnished:
    with job_queue.replace_connector(worker_connector(call.settings.database_url)):
        async with job_queue.open_async():
            return await furnish(call)


class Looking:
    """Somebody who looks at one page after the other, and at what keeps people out of each."""

    def __init__(self, person: Visitor, axe: str, look: str) -> None:
        self.person = person
        self.found: dict[str, list[str]] = {}
        self._axe = axe
        self._look = look

    async def at(self, name: str) -> None:
        found = await serious_violations(self.person.page, self._axe)
        if not await self.person.sees_all_of_its_width():
            found.append("is wider than the window")
        if found:
            self.found[name] = found
        await self.person.keeps_a_picture(f"{name}-{self._look}")

    async def at_each(self, pages: dict[str, str], **ids: object) -> None:
        for name, path in pages.items():
            await self.person.opens(path.format(**ids))
            await self.at(name)


@pytest.mark.parametrize(("colours", "width"), LOOKS)
async def test_no_page_keeps_anybody_out(
    colours: Literal["light", "dark"],
    width: int,
    chrome: Chromium,
    address: str,
    axe: str,
    tenant: TenantClient,
    database: Database,
    call: RecordedCall,
) -> None:
    owner = await dashboard_client(tenant, database, "owner")
    # axe is a script of its own, which the page's policy refuses.
    async with visitor(chrome, address, width=width, colours=colours, bypass_csp=True) as person:
        looking = Looking(person, axe, colours)
        await looking.at_each(PUBLIC)
        await person.has(owner.token)
        await looking.at_each(EMPTY)
        shown = await furnished(call)
        await looking.at_each(
            PAGES,
            agent=shown.agent_id,
            draft=shown.draft_id,
            call=shown.call_id,
            failed=shown.failed_id,
            running=shown.running_id,
            webhook=shown.webhook_id,
        )
        await look_at_what_opens(looking, shown)
        await look_at_the_operators_pages(looking)
        assert looking.found == {}
        assert person.foreign_requests == []


async def look_at_what_opens(looking: Looking, shown: Furnished) -> None:
    """What is not there when a page is opened."""
    person, page = looking.person, looking.person.page
    await person.opens(f"/console/agents/{shown.agent_id}/chat")
    await person.presses("Start the chat")
    await page.get_by_label("Your message").wait_for()
    await looking.at("chatting")
    await person.opens(f"/console/agents/{shown.agent_id}")
    await page.evaluate(
        "document.querySelectorAll('details').forEach((each) => (each.open = true))"
    )
    await looking.at("configure, all")
    await person.opens(f"/console/agents/{shown.agent_id}/knowledge")
    await person.fills("Question", "Can I bring my dog?")
    await person.presses("Search")
    await page.get_by_role("heading", name="House rules › Pets").wait_for()
    await looking.at("knowledge, searched")
    await page.get_by_role("button", name="Read").last.click()
    await page.get_by_role("dialog").wait_for()
    await looking.at("knowledge, read")
    for words in ("Upload a file", "Add a web page", "Write a text"):
        await person.opens(f"/console/agents/{shown.agent_id}/knowledge")
        await person.presses(words)
        await page.get_by_role("dialog").wait_for()
        await looking.at(f"knowledge, {words}")
    await person.opens(f"/console/agents/{shown.agent_id}/versions")
    await page.get_by_role("button", name="Compare").last.click()
    await page.get_by_role("dialog").wait_for()
    await looking.at("compare")
    await person.opens("/console/api-keys")
    await person.presses("New key")
    await page.get_by_role("dialog").wait_for()
    await looking.at("new key")


async def look_at_the_operators_pages(looking: Looking) -> None:
    person = looking.person
    await person.opens("/console/operator")
    await looking.at("operator, closed")
    await person.fills("Operator's token", OPERATOR["Authorization"].removeprefix("Bearer "))
    await person.presses("Open")
    for tab in OPERATORS:
        await person.follows(tab)
        current = person.page.locator("nav[aria-label=Operator] [aria-current]")
        await expect(current).to_have_text(tab)
        await looking.at(f"operator, {tab}")
