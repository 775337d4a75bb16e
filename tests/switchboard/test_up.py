from __future__ import annotations

import io

import pytest
from rich.console import Console

from switchboard.up import show_in_browser

URL = "http://127.0.0.1:8080"


@pytest.mark.parametrize(("has_browser", "told"), [(True, ""), (False, f"Open {URL} in one.")])
def test_where_no_browser_opens_the_address_is_told(has_browser: bool, told: str) -> None:
    output = io.StringIO()
    opened: list[str] = []

    def browser(url: str) -> bool:
        opened.append(url)
        return has_browser

    show_in_browser(URL, Console(file=output), browser)
    assert opened == [URL]
    assert told in output.getvalue()
    assert bool(output.getvalue()) is not has_browser
