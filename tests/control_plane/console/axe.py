"""axe-core looks for what keeps people out of a page."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import Page

_HERE = Path(__file__).parent


@pytest.fixture(scope="session")
def axe(require_program: Callable[..., str]) -> str:
    """The source of axe-core, as npm installs it from the committed lock."""
    npm = require_program("npm")
    installed = _HERE / "node_modules" / "axe-core" / "axe.min.js"
    if not installed.exists():
        subprocess.run([npm, "ci", "--ignore-scripts"], cwd=_HERE, check=True, capture_output=True)
    return installed.read_text()


async def serious_violations(page: Page, axe: str) -> list[str]:
    """What axe calls serious or critical, each with the first element that has it."""
    await page.evaluate(axe)
    found: list[dict[str, Any]] = await page.evaluate("async () => (await axe.run()).violations")
    return [
        f"{each['id']}: {each['nodes'][0]['html']}"
        for each in found
        if each["impact"] in ("serious", "critical")
    ]
