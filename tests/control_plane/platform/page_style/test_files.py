from __future__ import annotations

import re

import httpx2
import pytest

from control_plane.identity.mailed_pages.pages import PAGES


@pytest.mark.parametrize("path", ["/call", "/docs", *PAGES])
async def test_every_file_of_a_page_is_served(http: httpx2.AsyncClient, path: str) -> None:
    files = await files_of(http, path)
    assert len(files) == 4
    assert {"/page-style/page.css", "/page-style/icon.svg"} < set(files)
    assert {(await http.get(file)).status_code for file in files} == {200}


@pytest.mark.parametrize("path", ["/call", "/console", "/docs", *PAGES])
async def test_browsers_keep_a_pages_files_and_ask_whether_these_are_the_newest(
    http: httpx2.AsyncClient, path: str
) -> None:
    for file in await files_of(http, path):
        first = await http.get(file)
        again = await http.get(file, headers={"If-None-Match": first.headers["etag"]})
        assert first.headers.get("cache-control") == "no-cache", file
        assert (again.status_code, again.headers.get("cache-control")) == (304, "no-cache"), file


async def files_of(http: httpx2.AsyncClient, path: str) -> list[str]:
    page = (await http.get(path)).text
    return re.findall(r'<(?:link|script) [^>]*(?:href|src)="([^"]+)"', page)
