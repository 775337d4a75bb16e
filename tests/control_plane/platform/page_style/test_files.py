from __future__ import annotations

import re

import httpx2
import pytest

from control_plane.identity.mailed_pages.pages import PAGES


@pytest.mark.parametrize("path", ["/call", "/docs", *PAGES])
async def test_every_file_of_a_page_is_served(http: httpx2.AsyncClient, path: str) -> None:
    files = re.findall(r'<(?:link|script) [^>]*(?:href|src)="([^"]+)"', (await http.get(path)).text)
    assert len(files) == 4
    assert {"/page-style/page.css", "/page-style/icon.svg"} < set(files)
    assert {(await http.get(file)).status_code for file in files} == {200}
