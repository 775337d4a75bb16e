"""The API reference in a browser, drawn from the real OpenAPI document.

With ``SWITCHBOARD_SCREENSHOTS=DIRECTORY`` pictures of it are written there.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Literal

import jsonschema
import pytest
from playwright.async_api import Browser, Page, async_playwright, expect

from contracts.sealing import derived_key
from control_plane.app import create_app
from control_plane.platform.api_reference.routes import STATIC
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.platform.http.real_server import served

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

SETTINGS = ControlPlaneSettings(
    database_url="postgresql+psycopg://nobody@127.0.0.1/nothing",
    redis_url="redis://127.0.0.1:1",
    public_url="http://127.0.0.1",
    secret_key="a-secret-of-at-least-thirty-two-bytes",
    encryption_keys=(derived_key("of the tests"),),
    mail_outbox_dir=Path("nowhere"),
    knowledge_dir=Path("nowhere"),
    object_store_url="memory:///",
)
"""The page asks for static files and the document only, so nothing else runs."""
SCRIPT_BYTES = 60_000
CREATE_CALL = "#post-v1-calls"


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return create_app(SETTINGS).openapi()


@pytest.fixture
async def origin(document: dict[str, Any]) -> AsyncIterator[str]:
    app = create_app(SETTINGS)
    app.openapi_schema = document
    async with served(app) as address:
        yield address


@pytest.fixture
async def browser(chromium: str) -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        yield browser
        await browser.close()


@pytest.fixture
async def page(browser: Browser, origin: str) -> AsyncIterator[Page]:
    """The reference. An error in its script, or a request to another host, fails the test."""
    faults: list[str] = []
    context = await browser.new_context(
        viewport={"width": 1280, "height": 900}, permissions=["clipboard-read", "clipboard-write"]
    )
    page = await context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.on(
        "request",
        lambda sent: None if sent.url.startswith(origin) else faults.append(f"asked {sent.url}"),
    )
    await opened(page, f"{origin}/docs")
    yield page
    assert faults == []


async def opened(page: Page, url: str) -> None:
    await page.goto(url)
    await expect(page.locator("article").first).to_be_visible()


def operations_of(document: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Operations by ``METHOD path``, but for HEAD, which the reference leaves out."""
    return {
        f"{method.upper()} {path}": operation
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method != "head"
    }


async def test_every_operation_has_an_anchor_of_its_own(
    page: Page, document: dict[str, Any]
) -> None:
    anchors = await page.locator("article").evaluate_all("all => all.map(each => each.id)")
    shown = await page.locator("article .address").evaluate_all(
        "all => all.map(each => each.querySelector('.method').textContent + ' '"
        " + each.querySelector('code').textContent)"
    )
    assert sorted(shown) == sorted(operations_of(document))
    assert len(set(anchors)) == len(anchors)
    listed = await page.locator("#contents li a").evaluate_all("all => all.map(each => each.hash)")
    assert listed == [f"#{anchor}" for anchor in anchors]


async def test_an_address_with_an_anchor_opens_at_its_operation(page: Page, origin: str) -> None:
    await page.goto("about:blank")
    await opened(page, f"{origin}/docs{CREATE_CALL}")
    await expect(page.locator(f"{CREATE_CALL} h3")).to_be_in_viewport()
    await expect(page.locator("#contents [aria-current]")).to_contain_text("Create call")


async def test_every_command_can_be_pasted_into_a_shell(
    page: Page, origin: str, document: dict[str, Any]
) -> None:
    commands = await page.locator("article .sample:first-child pre").all_text_contents()
    operations = operations_of(document)
    assert len(commands) == len(operations)
    seen = set()
    for command in commands:
        words = shlex.split(command)
        assert words[:2] == ["curl", "-sS"]
        method = words[words.index("-X") + 1] if "-X" in words else "GET"
        url = next(word for word in words if word.startswith("http"))
        assert url.startswith(f"{origin}/"), "the page's own origin"
        path = re.sub(r"\$([A-Z_]+)", lambda name: f"{{{name[1].lower()}}}", url)
        operation = operations[f"{method} {path.removeprefix(origin).partition('?')[0]}"]
        seen.add(operation["operationId"])
        if "-d" in words:
            body = json.loads(words[words.index("-d") + 1])
            schema = operation["requestBody"]["content"]["application/json"]["schema"]
            jsonschema.validate(body, schema | {"components": document["components"]})
        forms = operation.get("requestBody", {}).get("content", {}).get("multipart/form-data")
        assert ("-F" in words) == (forms is not None)
        assert ("Authorization: Bearer" in command) == bool(operation.get("security"))
    assert len(seen) == len(operations)


async def test_a_button_copies_the_command(page: Page) -> None:
    operation = page.locator(CREATE_CALL)
    await operation.get_by_role("button", name="Copy as curl").click()
    await expect(operation.get_by_role("button", name="Copied")).to_be_visible()
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied == await operation.locator("pre").first.text_content()


async def test_a_field_shows_its_kind_its_limits_its_default_and_its_parts(page: Page) -> None:
    body = page.locator("#post-v1-agents .words")
    name = body.locator(".field", has=page.locator(".field-name", has_text=re.compile("^name$")))
    await expect(name.first).to_contain_text("string")
    await expect(name.first).to_contain_text("required")
    await expect(name.first).to_contain_text("characters")
    await expect(body.locator(".fact", has_text="default").first).to_be_visible()
    parts = body.locator(".field > .parts").first
    await expect(parts.locator(".field")).to_have_count(0)
    await parts.locator("summary").first.click()
    await expect(parts.locator(".field").first).to_be_visible()


async def test_an_operation_lists_its_errors_by_code(page: Page) -> None:
    errors = page.locator(f"{CREATE_CALL} .errors")
    await errors.locator("summary").click()
    row = errors.locator("tr", has_text="insufficient_credits")
    await expect(row).to_contain_text("402")
    await expect(row).to_contain_text("Insufficient credits")


async def test_search_finds_operations_by_path_field_and_error(page: Page) -> None:
    search = page.get_by_label("Search the operations")
    await page.keyboard.press("/")
    await expect(search).to_be_focused()
    for words, found in {
        "queue stats": "Queue stats",
        "roll-back restore_draft": "Roll back",
        "recording_not_available": "Get recording",
    }.items():
        await search.fill(words)
        await expect(page.locator("article:visible h3", has_text=found)).to_be_visible()
        assert await page.locator("article:visible").count() < 10
    await search.fill("zebra xylophone")
    await expect(page.get_by_role("status")).to_contain_text("Nothing found")
    await page.keyboard.press("Escape")
    await expect(page.locator("article").first).to_be_visible()


async def test_without_the_document_the_page_says_so(browser: Browser, origin: str) -> None:
    page = await browser.new_page()
    await page.route("**/openapi.json", lambda route: route.fulfill(status=503))
    await page.goto(f"{origin}/docs")
    await expect(page.get_by_role("alert")).to_contain_text("the server answered 503")
    await expect(page.locator("#loading")).to_have_count(0)


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_it_fits_narrow_and_wide_windows(
    browser: Browser, origin: str, width: int, scheme: Literal["light", "dark"]
) -> None:
    page = await browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    await opened(page, f"{origin}/docs")
    await keep_screenshot(page, f"docs-{width}-{scheme}.png")
    if width == 390:
        await expect(page.locator("#contents")).to_be_hidden()
        await page.get_by_role("button", name="Contents").click()
        await keep_screenshot(page, f"docs-{width}-{scheme}-contents.png")
        await page.get_by_role("link", name="Create call POST").click()
        await expect(page.locator("#contents")).to_be_hidden()
    else:
        await page.get_by_role("link", name="Create call POST").click()
    await expect(page.locator(f"{CREATE_CALL} h3")).to_be_in_viewport()
    await page.locator(f"{CREATE_CALL} .parts summary").first.click()
    await keep_screenshot(page, f"docs-{width}-{scheme}-call.png")
    overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert overflow <= 0, "nothing is cut off at the side"


def test_the_scripts_stay_small() -> None:
    assert sum(len(script.read_bytes()) for script in STATIC.glob("*.js")) < SCRIPT_BYTES


async def keep_screenshot(page: Page, name: str) -> None:
    if directory := os.environ.get("SWITCHBOARD_SCREENSHOTS"):
        await page.screenshot(path=Path(directory) / name)
