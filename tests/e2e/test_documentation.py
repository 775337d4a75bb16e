"""The documentation's commands and programs run as written, page by page."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cache
from pathlib import Path

import pytest

from tests.docs.blocks import PAGES, ROOT, blocks_of, name_of
from tests.docs.shell_session import checkout, run_page
from tests.e2e.conftest import LiveSwitchboard

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]

PAGES_TO_RUN = [page for page in PAGES if any(block.is_run for block in blocks_of(page))]
CLIENT_PAGE = ROOT / "clients" / "python" / "README.md"
SPOKEN_PAGES = (ROOT / "README.md", ROOT / "docs" / "recordings.md", CLIENT_PAGE)
"""They hold real calls, whose speech takes its time: two of them run side by side."""
PRINTED = {
    "README.md": ("Connected in", "caller", "agent"),
    "docs/agents.md": ('"rolled_back"',),
    "docs/data-protection.md": ("Status           completed", '"recording_retention_days":30'),
    "docs/live-view.md": ("event: state",),
    "docs/recordings.md": ('"status":"completed"',),
    "clients/python/README.md": (
        "the call is completed",
        "404 agent_not_found",
        "'field': 'name'",
    ),
}
"""What a page's commands must print, beyond ending well."""


@pytest.fixture(scope="module")
def printed_by(
    own_switchboard: LiveSwitchboard,
    tmp_path_factory: pytest.TempPathFactory,
    require_program: Callable[..., str],
) -> Iterator[Callable[[Path], str]]:
    """What a page prints, typed into a shell where ``switchboard up`` runs. One page's commands
    stop all calls for a moment, so no other test may use that ``up`` meanwhile."""
    for program in ("bash", "curl", "openssl"):
        require_program(program)
    names = ("state.json", "secrets.json", "outbox")
    data_files = [own_switchboard.data_dir / name for name in names]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("SWITCHBOARD_")
    }
    with ThreadPoolExecutor(max_workers=2) as pool:

        @cache
        def session(page: Path) -> Future[str]:
            directory = checkout(tmp_path_factory.mktemp("checkout"), Path(sys.prefix), *data_files)
            return pool.submit(run_page, page, directory, environment)

        def printed(page: Path) -> str:
            if page in SPOKEN_PAGES:
                wait([session(each) for each in SPOKEN_PAGES])
            return session(page).result()

        yield printed


@pytest.mark.parametrize("page", PAGES_TO_RUN, ids=name_of)
def test_the_blocks_run(page: Path, printed_by: Callable[[Path], str]) -> None:
    printed = printed_by(page)
    for text in PRINTED.get(name_of(page), ()):
        assert text in printed
    if page == CLIENT_PAGE:
        heard = re.search(r"^heard ([\d.]+) s$", printed, re.MULTILINE)
        assert heard
        assert float(heard[1]) > 1.0
