"""From a sentence to a spoken call by typing commands, as a user does."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.e2e.conftest import LiveSwitchboard

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

PROMPT = (
    "A friendly agent for the restaurant Bella Napoli that takes table bookings. "
    "Ask for the name, the party size and the day."
)


def typed(
    switchboard: LiveSwitchboard, *words: str, key: str | None = None
) -> subprocess.CompletedProcess[str]:
    """What a command did with the key of ``switchboard``'s account, or another."""
    access = {"SWITCHBOARD_API_KEY": key or switchboard.account.secret_key}
    return subprocess.run(
        [sys.executable, "-m", "switchboard", *words, "--data-dir", str(switchboard.data_dir)],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | access | {"COLUMNS": "200"},
    )


def said(ran: subprocess.CompletedProcess[str]) -> str:
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_an_agent_is_described_published_called_and_rolled_back(
    switchboard: LiveSwitchboard,
) -> None:
    made: dict[str, Any] = json.loads(
        said(typed(switchboard, "agents", "create", "--prompt", PROMPT, "--publish", "--json"))
    )
    agent_id = made["id"]
    assert made["published"]["version"] == 1
    assert agent_id in said(typed(switchboard, "agents", "list"))
    assert "Bella Napoli" in said(typed(switchboard, "agents", "show", agent_id))

    heard = said(typed(switchboard, "call", "--agent", agent_id, "--say", "I want a table."))
    assert "Bella Napoli" in heard

    key = said(typed(switchboard, "keys", "create", "--name", "Deployment")).strip()
    said(typed(switchboard, "agents", "publish", agent_id, key=key))
    said(typed(switchboard, "agents", "roll-back", agent_id, "1", key=key))
    versions = said(typed(switchboard, "agents", "versions", agent_id, "--json", key=key))
    assert [each["restored_from"] for each in json.loads(versions)["versions"]] == [1, None, None]

    keys = json.loads(said(typed(switchboard, "keys", "list", "--json")))["api_keys"]
    [key_id] = [each["id"] for each in keys if each["name"] == "Deployment"]
    said(typed(switchboard, "keys", "revoke", key_id))
    refused = typed(switchboard, "agents", "list", key=key)
    assert refused.returncode == 1
    assert "SWITCHBOARD_API_KEY" in refused.stderr

    assert "in place already" in said(typed(switchboard, "catalogue", "load"))
