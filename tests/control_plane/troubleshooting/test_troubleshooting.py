"""Each row of docs/troubleshooting.md: what it quotes is what people see when its fault happens."""

from __future__ import annotations

import asyncio
import re
import socket
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple, cast

import httpx2
import pytest
from aiohttp import web
from playwright.async_api import Page, Route, async_playwright
from redis.asyncio import Redis
from typer.testing import CliRunner

from control_plane.building.provider_keys import verification
from control_plane.calling.call_page.routes import STATIC as CALL_PAGE
from control_plane.console.routes import STATIC as CONSOLE
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from switchboard import system
from switchboard.caller.microphone import Microphone, MicrophoneProblem
from switchboard.caller.words_of_end import words_of_failure
from switchboard.cli import app as cli
from switchboard.doctor import software
from switchboard.services.ports import LOOPBACK
from switchboard.settings import Settings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.troubleshooting.faults import ANSWERS, ENDS, Installation
from tests.docs.blocks import ROOT
from tests.switchboard.commands.stand_in_api import stand_in_api

pytestmark = pytest.mark.browser

PAGE = ROOT / "docs" / "troubleshooting.md"
ORIGIN = "http://127.0.0.1:1"
KEY = ("--api-key", "sb_secret_of_the_tests")


class Row(NamedTuple):
    fault: str
    command_line: str
    console: str
    call_page: str
    remedy: str


def rows() -> dict[str, Row]:
    lines = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return {row[0]: Row(*row) for row in cells[1:]}


ROWS = rows()
HERE = {
    "Switchboard does not run",
    "The port is taken",
    "PostgreSQL is missing",
    "No key is given",
    "The microphone is refused",
    "There is no microphone",
    "The page is not on https",
    "The link is cut off",
    "The address of the API is not one",
}
"""Faults of the person's own machine, each with a test below."""


def quoted(cell: str) -> list[str]:
    return re.findall("“([^”]+)”", cell)


def says(cell: str, shown: str) -> None:
    plain = " ".join(shown.split())
    for words in quoted(cell):
        assert words in plain, f"{words!r} is not in {plain!r}"


def typed(*words: str) -> str:
    return CliRunner(env={"COLUMNS": "400"}).invoke(cli, [*words]).output


def test_every_row_has_a_test_and_a_remedy() -> None:
    assert set(ROWS) == {*ANSWERS, *ENDS, *HERE}
    assert all(len(row.remedy) > 20 for row in ROWS.values())
    silent = {"–"}
    for row in ROWS.values():
        assert quoted(row.command_line + row.console + row.call_page), row.fault
        for cell in (row.command_line, row.console, row.call_page):
            assert quoted(cell) or cell in silent or "same words" in cell


@pytest.fixture
async def page(chromium: str) -> AsyncIterator[Page]:
    """A page that can load the modules of the console and of the call page."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = await browser.new_page()
        await page.route(f"{ORIGIN}/**", _file)
        await page.goto(f"{ORIGIN}/call?agent=x#key=sb_publishable_1")
        yield page
        await browser.close()


async def _file(route: Route) -> None:
    path = route.request.url.removeprefix(ORIGIN)
    for prefix, folder in (("/call/static/", CALL_PAGE), ("/console/static/", CONSOLE)):
        if path.startswith(prefix):
            await route.fulfill(path=folder / path.removeprefix(prefix))
            return
    await route.fulfill(body="<!doctype html>", content_type="text/html")


CONSOLE_SAYS = """async () => {
  const { api } = await import("/console/static/core/api.js");
  return api.get("/v1/fault").catch((error) => error.message);
}"""
CALL_PAGE_SAYS = """async () => {
  const { request } = await import("/call/static/requests.js");
  return request("/v1/fault", {}).catch((trouble) => `${trouble.message}. ${trouble.advice}`);
}"""
MICROPHONE_SAYS = """async (name) => {
  if (name === null) Object.defineProperty(navigator, "mediaDevices", { value: undefined });
  else navigator.mediaDevices.getUserMedia = async () => { throw new DOMException("", name); };
  const { openMicrophone } = await import("/call/static/microphone.js");
  return openMicrophone().catch((trouble) => trouble.message);
}"""
LINK_SAYS = """async () => {
  const { checkLink } = await import("/call/static/link.js");
  try { checkLink(); } catch (trouble) { return trouble.message; }
}"""
END_SAYS = """async (reason) => {
  const { endWords } = await import("/call/static/end_words.js");
  const { sentence } = await import("/console/static/core/format.js");
  return [endWords(reason), sentence(reason)];
}"""


class Provider:
    """OpenAI, as far as keys are concerned."""

    status = 200

    async def answer(self, request: web.Request) -> web.Response:
        if self.status == 0:
            await asyncio.Event().wait()
        return web.Response(status=self.status)


@pytest.fixture
async def provider() -> Provider:
    return Provider()


@pytest.fixture
async def provider_url(provider: Provider) -> AsyncIterator[str]:
    server = web.Application()
    server.router.add_route("*", "/{path:.*}", provider.answer)
    runner = web.AppRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@pytest.fixture
def settings(settings: ControlPlaneSettings, provider_url: str) -> ControlPlaneSettings:
    return settings.model_copy(update={"provider_base_urls": {"openai": provider_url}})


@pytest.mark.parametrize("fault", ANSWERS)
async def test_what_the_api_refuses_is_said_in_the_row_s_words(
    fault: str,
    page: Page,
    tenant: TenantClient,
    database: Database,
    redis: Redis,
    provider: Provider,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    if fault == "Provider unreachable when its key is saved":
        monkeypatch.setattr(verification, "_TIMEOUT_SECONDS", 0.2)
    row = ROWS[fault]
    answer = await ANSWERS[fault](Installation(tenant, database, redis, provider))
    assert not answer.is_success
    says(row.command_line, await asyncio.to_thread(_command_line, answer))

    async def refuse(route: Route) -> None:
        await route.fulfill(status=answer.status_code, body=answer.text)

    await page.route(f"{ORIGIN}/v1/fault", refuse)
    says(row.console, await page.evaluate(CONSOLE_SAYS))
    says(row.call_page, await page.evaluate(CALL_PAGE_SAYS))


def _command_line(answer: httpx2.Response) -> str:
    with stand_in_api() as api:
        commands = {"GET /v1/agents": ("list",), "POST /v1/agents/a/publish": ("publish", "a")}
        for request in commands:
            method, path = request.split()
            api.will(method, path, answer.status_code, answer.json())
            api.will(method, f"{path}?limit=50&offset=0", answer.status_code, answer.json())
        access = ("--api-url", api.url, *KEY)
        return "".join(typed("agents", *words, *access) for words in commands.values())


@pytest.mark.parametrize("fault", ENDS)
async def test_an_end_is_told_in_the_row_s_words(fault: str, page: Page) -> None:
    ended_by, reason = ENDS[fault]
    says(ROWS[fault].command_line, words_of_failure(ended_by, reason) or "")
    on_call_page, in_console = await page.evaluate(END_SAYS, str(reason))
    says(ROWS[fault].call_page, on_call_page)
    says(ROWS[fault].console, in_console)


async def test_switchboard_does_not_run(page: Page) -> None:
    row = ROWS["Switchboard does not run"]
    shown = await asyncio.to_thread(typed, "agents", "list", "--api-url", ORIGIN, *KEY)
    says(row.command_line, shown)
    await page.route(f"{ORIGIN}/v1/fault", lambda route: route.abort())
    says(row.console, await page.evaluate(CONSOLE_SAYS))
    says(row.call_page, await page.evaluate(CALL_PAGE_SAYS))


def test_the_port_is_taken() -> None:
    warned: list[str] = []
    with socket.create_server((LOOPBACK, 0)) as taken:
        port = taken.getsockname()[1]
        progress = cast(system.Progress, SimpleNamespace(warn=warned.append))
        system._listen(Settings(port=port), progress).close()
    says(ROWS["The port is taken"].command_line, warned[0])


def test_postgresql_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _name: None)
    shown = software.postgres(Settings(database_url=None))
    says(ROWS["PostgreSQL is missing"].command_line, shown.found)


def test_no_key_is_given(tmp_path: Path) -> None:
    shown = typed("agents", "list", "--api-url", ORIGIN, "--data-dir", str(tmp_path))
    says(ROWS["No key is given"].command_line, shown)


def test_the_address_of_the_api_is_not_one() -> None:
    shown = typed("agents", "list", "--api-url", "localhost", *KEY)
    says(ROWS["The address of the API is not one"].command_line, shown)


async def test_the_microphone_is_refused(page: Page) -> None:
    shown = await page.evaluate(MICROPHONE_SAYS, "NotAllowedError")
    says(ROWS["The microphone is refused"].call_page, shown)


async def test_there_is_no_microphone(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    row = ROWS["There is no microphone"]
    says(row.call_page, await page.evaluate(MICROPHONE_SAYS, "NotFoundError"))

    class PortAudioError(Exception):
        pass

    def no_stream(**_: object) -> None:
        raise PortAudioError("Error querying device -1")

    library = SimpleNamespace(PortAudioError=PortAudioError, Stream=no_stream)
    monkeypatch.setitem(sys.modules, "sounddevice", library)
    with pytest.raises(MicrophoneProblem) as problem:
        Microphone()._opened()
    says(row.command_line, str(problem.value))


async def test_the_page_is_not_on_https(page: Page) -> None:
    says(ROWS["The page is not on https"].call_page, await page.evaluate(MICROPHONE_SAYS, None))


async def test_the_link_is_cut_off(page: Page) -> None:
    says(ROWS["The link is cut off"].call_page, await page.evaluate(LINK_SAYS))
