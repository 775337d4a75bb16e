"""How the console's files are served."""

from __future__ import annotations

import re
from pathlib import Path

import httpx2
import pytest

from control_plane.console.routes import STATIC

MOST_BYTES_OF_A_PAGE = 100_000
MOST_BYTES_OF_ALL = 200_000
IMPORT = re.compile(r'^(?:import .*?|export \* )from "(\.[^"]+)"', re.M | re.S)
SCRIPTS = sorted(STATIC.rglob("*.js"))


async def test_the_first_address_leads_to_the_console(http: httpx2.AsyncClient) -> None:
    answer = await http.get("/")
    assert answer.status_code == 307
    assert answer.headers["location"] == "/console"


@pytest.mark.parametrize("path", ["/console", "/console/", "/console/agents/1/publish"])
async def test_every_address_of_the_console_is_its_page(
    http: httpx2.AsyncClient, path: str
) -> None:
    answer = await http.get(path)
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")


async def test_a_file_that_is_not_there_is_not_the_page(http: httpx2.AsyncClient) -> None:
    assert (await http.get("/console/static/nothing.js")).status_code == 404


async def test_every_file_that_a_file_names_is_served(http: httpx2.AsyncClient) -> None:
    page = (await http.get("/console")).text
    named = set(re.findall(r'(?:href|src)="(/[^"]+)"', page))
    for script in SCRIPTS:
        folder = httpx2.URL(f"http://x/console/static/{script.relative_to(STATIC).as_posix()}")
        modules = re.findall(r'(?:from |import\()"(\.[^"]+)"', script.read_text())
        named |= {folder.join(module).path for module in modules}
    assert len(named) > 30
    assert {path: (await http.get(path)).status_code for path in named} == dict.fromkeys(named, 200)


def test_every_page_and_every_tab_has_a_module() -> None:
    routes = (STATIC / "pages" / "routes.js").read_text()
    pages = re.findall(r'^  \["/console[^"]*", "(\w+)"', routes, re.M)
    assert len(pages) > 15
    modules = [STATIC / "pages" / folder / "page.js" for folder in pages]
    for area in ("agent", "operator"):
        page = (STATIC / "pages" / area / "page.js").read_text()
        tabs = re.findall(r'^  (\w+): "', page.split("const TABS", 1)[1].split("};", 1)[0], re.M)
        assert len(tabs) > 5
        modules += [STATIC / "pages" / area / f"{tab}.js" for tab in tabs]
    assert [each for each in modules if not each.exists()] == []


async def test_browsers_keep_files_and_ask_whether_these_are_the_newest(
    http: httpx2.AsyncClient,
) -> None:
    first = await http.get("/console/static/main.js")
    assert first.headers["cache-control"] == "no-cache"
    again = await http.get(
        "/console/static/main.js", headers={"If-None-Match": first.headers["etag"]}
    )
    assert again.status_code == 304


async def test_the_page_runs_no_script_but_its_own_and_makes_no_markup_of_texts(
    http: httpx2.AsyncClient,
) -> None:
    policy = (await http.get("/console")).headers["content-security-policy"]
    assert "script-src 'self';" in policy
    assert "require-trusted-types-for 'script'; trusted-types 'none'" in policy
    assert "unsafe" not in policy


def test_the_page_asks_at_once_for_all_modules_that_every_page_needs() -> None:
    main = STATIC / "main.js"
    needed = (started_with(main) | started_with(STATIC / "kit.js")) - {main}
    page = (STATIC / "index.html").read_text()
    preloaded = re.findall(r'rel="modulepreload" href="/console/static/([^"]+)"', page)
    assert sorted(preloaded) == sorted(module.relative_to(STATIC).as_posix() for module in needed)


@pytest.mark.parametrize("area", sorted(each.name for each in (STATIC / "pages").iterdir()))
def test_what_a_page_loads_stays_small(area: str) -> None:
    """Of the other areas nothing is loaded before one of their pages is opened."""
    needed = started_with(STATIC / "main.js")
    page = STATIC / "pages" / area
    for module in [page] if page.is_file() else page.rglob("*.js"):
        needed |= started_with(module)
    assert sum(module.stat().st_size for module in needed) <= MOST_BYTES_OF_A_PAGE


def test_all_scripts_together_stay_small() -> None:
    assert sum(script.stat().st_size for script in SCRIPTS) <= MOST_BYTES_OF_ALL


def started_with(module: Path) -> set[Path]:
    """The module, and all that it imports before it runs."""
    needed: set[Path] = set()
    waiting = [module]
    while waiting:
        module = waiting.pop()
        if module not in needed:
            needed.add(module)
            imported = IMPORT.findall(module.read_text())
            waiting += ((module.parent / name).resolve() for name in imported)
    return needed
