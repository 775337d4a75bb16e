"""The documentation's commands and programs run as written, page by page."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, ROOT, blocks_of, name_of
from tests.docs.shell_session import checkout, run_page
from tests.e2e.conftest import LiveSwitchboard

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(120)]

CLIENT_PAGE = ROOT / "clients" / "python" / "README.md"
PRINTED = {
    "README.md": ("agent", "caller"),
    "clients/python/README.md": (
        "the call is completed",
        "404 agent_not_found",
        "'field': 'name'",
    ),
}
"""What a page's commands must print, beyond ending well."""


@pytest.fixture
def directory(switchboard: LiveSwitchboard, tmp_path: Path) -> Path:
    """Where ``switchboard up`` was typed."""
    state, secrets = (switchboard.data_dir / name for name in ("state.json", "secrets.json"))
    return checkout(tmp_path, Path(sys.prefix), state, secrets)


@pytest.mark.parametrize(
    "page", [page for page in PAGES if any(block.is_run for block in blocks_of(page))], ids=name_of
)
def test_the_blocks_run(page: Path, directory: Path) -> None:
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("SWITCHBOARD_")}
    printed = run_page(page, directory, inherited)
    for text in PRINTED.get(name_of(page), ()):
        assert text in printed
    if page == CLIENT_PAGE:
        heard = re.search(r"^heard ([\d.]+) s$", printed, re.MULTILINE)
        assert heard and float(heard[1]) > 1.0, printed
