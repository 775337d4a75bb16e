"""Somebody gives an agent knowledge in the console, and looks at what calls find in it."""

from __future__ import annotations

import pytest
from playwright.async_api import FilePayload, expect

from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.building.knowledge_sources.ingesting import Sources
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.visitor import Visitor
from tests.control_plane.dashboard import dashboard_client
from tests.knowledge.documents import docx_of, pdf_of

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"


@pytest.fixture
async def sources(
    person: Visitor, tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> Sources:
    """Of an agent whose page is open."""
    sources = Sources(tenant, await tenant.agent(), database, settings)
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens(f"/console/agents/{sources.agent_id}/knowledge")
    return sources


async def newest(sources: Sources) -> str:
    listed = (await sources.tenant.get(sources.path)).json()["sources"]
    return str(listed[0]["id"])


async def uploads(person: Visitor, name: str, kind: str, content: bytes) -> None:
    await person.presses("Upload a file")
    file = FilePayload(name=name, mimeType=kind, buffer=content)
    await person.page.get_by_label("File", exact=True).set_input_files([file])
    await person.presses("Add")
    await expect(person.page.get_by_role("dialog")).to_have_count(0)


async def test_an_uploaded_pdf_is_found_by_a_question_until_it_is_deleted(
    person: Visitor, sources: Sources
) -> None:
    page = person.page
    await expect(page.get_by_role("button", name="Search")).to_be_hidden()
    await uploads(person, "house.pdf", "application/pdf", pdf_of("Pets cost 15 euros a night."))
    row = page.locator("tbody tr").filter(has_text="house.pdf")
    await expect(row).to_contain_text("Being read, 0 %")
    await sources.ingest(await newest(sources))
    await expect(row).to_contain_text("Ready")
    await person.fills("Question", "Can I bring my dog?")
    await person.presses("Search")
    found = page.get_by_role("status").get_by_role("listitem")
    await expect(found).to_have_count(1)
    await expect(found).to_contain_text("15 euros")
    await expect(found).to_contain_text("Score 0.0")
    await row.get_by_role("button", name="Read").click()
    await expect(page.get_by_role("dialog")).to_contain_text("15 euros")
    await person.presses("Close")
    assert await person.sees_all_of_its_width()
    await row.get_by_role("button", name="Delete").click()
    await page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    await expect(row).to_have_count(0)
    assert (await sources.tenant.get(sources.path)).json() == {"sources": []}


async def test_a_file_that_cannot_be_read_says_why(person: Visitor, sources: Sources) -> None:
    await uploads(person, "a.pdf", "application/pdf", pdf_of("x", password="secret"))
    await sources.ingest(await newest(sources))
    row = person.page.locator("tbody tr")
    await expect(row).to_contain_text("Failed")
    await expect(row).to_contain_text("password")
    await uploads(person, "b.docx", WORD, docx_of("x", extra=b"\0" * 100_000_000))
    await sources.ingest(await newest(sources))
    await expect(row.first).to_contain_text("unpacks")


async def test_what_is_no_file_of_its_kind_is_refused_beside_the_field(
    person: Visitor, sources: Sources
) -> None:
    await person.presses("Upload a file")
    file = FilePayload(name="a.pdf", mimeType="application/pdf", buffer=b"no pdf")
    await person.page.get_by_label("File", exact=True).set_input_files([file])
    await person.presses("Add")
    dialog = person.page.get_by_role("dialog")
    await expect(dialog.get_by_label("File", exact=True)).to_have_attribute("aria-invalid", "true")


async def test_a_text_and_a_page_are_added_and_the_page_is_fetched_again(
    person: Visitor, sources: Sources
) -> None:
    page = person.page
    await person.presses("Write a text")
    await person.fills("Title", "Food")
    await person.fills("Text", "# Breakfast\n\nFrom seven to ten.")
    await person.presses("Add")
    await expect(page.locator("tbody tr").filter(has_text="Food")).to_be_visible()
    await sources.ingest(await newest(sources))
    await person.presses("Add a web page")
    await person.fills("Address", "http://127.0.0.1/")
    await person.fills("Title", "Hours")
    await person.presses("Add")
    dialog = page.get_by_role("dialog")
    await expect(dialog.get_by_label("Address")).to_have_attribute("aria-invalid", "true")
    # No job runs, so nothing is sent there.
    await person.fills("Address", "https://8.8.8.8/hours")
    await person.presses("Add")
    row = page.locator("tbody tr").filter(has_text="Hours")
    await expect(row).to_contain_text("Being read")
    await expect(row.get_by_role("button", name="Fetch again")).to_have_count(0)
    await sources.fail(await newest(sources))
    await row.get_by_role("button", name="Fetch again").click()
    await expect(row).to_contain_text("Being read")
