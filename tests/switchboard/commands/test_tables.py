"""Lists on a terminal of 80 columns."""

from __future__ import annotations

from typing import Any

import pytest
from typer.testing import CliRunner

from switchboard.cli import app
from tests.switchboard.commands.stand_in_api import StandInApi
from tests.switchboard.commands.test_agents import AGENT
from tests.switchboard.commands.test_calls import CALL
from tests.switchboard.commands.test_keys import KEY
from tests.switchboard.commands.test_webhooks import HOOK

COLUMNS = 80
LISTS = [
    ("agents", "/v1/agents?limit=50&offset=0", "agents", AGENT),
    ("calls", "/v1/calls?limit=20&offset=0", "calls", CALL),
    ("keys", "/v1/api-keys?limit=50&offset=0", "api_keys", KEY),
    ("webhooks", "/v1/webhooks?limit=50&offset=0", "webhooks", HOOK),
]


@pytest.mark.parametrize(("noun", "path", "name", "row"), LISTS, ids=[each[0] for each in LISTS])
def test_a_row_fits_and_its_id_stays_whole(
    noun: str, path: str, name: str, row: dict[str, Any], api: StandInApi
) -> None:
    page = {name: [row, row], "total": 2, "limit": 50, "offset": 0}
    api.will("GET", path, 200, page | ({"next_cursor": None} if noun == "calls" else {}))
    access = ["--api-url", api.url, "--api-key", "k"]
    result = CliRunner(env={"COLUMNS": str(COLUMNS)}).invoke(app, [noun, "list", *access])
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert [len(line) for line in lines if len(line) > COLUMNS] == []
    assert sum(row["id"] in line for line in lines) == 2
