"""The Python client and ``switchboard calls``, against real processes and real audio."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from switchboard_client import LiveEvent, Switchboard
from switchboard_client.models import CallState, TurnLatency, Utterance
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.test_commands import said, typed

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]


def client_of(switchboard: LiveSwitchboard) -> Switchboard:
    return Switchboard(switchboard.api_url, switchboard.account.secret_key)


def calls_of(switchboard: LiveSwitchboard) -> list[str]:
    with client_of(switchboard) as client:
        return [str(call.id) for call in client.calls.every()]


def test_a_call_is_watched_shown_and_exported(switchboard: LiveSwitchboard, tmp_path: Path) -> None:
    before = set(calls_of(switchboard))
    whom = ("--agent", switchboard.account.agent_id, "--data-dir", str(switchboard.data_dir))
    what = ("--say", "I would like an appointment.")
    calling = subprocess.Popen(
        [sys.executable, "-m", "switchboard", "call", *whom, *what],
        env=os.environ | {"SWITCHBOARD_API_KEY": switchboard.account.secret_key},
        stdout=subprocess.DEVNULL,
    )
    try:
        call_id = _new_call(switchboard, before, calling)
        watched = _watched(switchboard, call_id)
    finally:
        assert calling.wait(120) == 0
    spoken = [each.data for each in watched if isinstance(each.data, Utterance)]
    assert any("appointment" in each.text.lower() for each in spoken if each.speaker == "user")
    assert any(isinstance(each.data, TurnLatency) for each in watched)
    last = watched[-1].data
    assert isinstance(last, CallState)
    assert last.state == "completed"

    tailed = said(typed(switchboard, "calls", "tail", call_id))
    assert "call completed" in tailed
    record: dict[str, Any] = json.loads(
        said(typed(switchboard, "calls", "show", call_id, "--json"))
    )
    for segment in record["transcript"]["segments"]:
        assert segment["text"].split()[0] in tailed
    assert call_id in said(typed(switchboard, "calls", "list", "--status", "completed"))
    refused = typed(switchboard, "calls", "end", call_id)
    assert (refused.returncode, refused.stdout) == (1, "")

    table = tmp_path / "calls.csv"
    said(typed(switchboard, "calls", "export", "--output", str(table)))
    exported = {row["id"]: row for row in csv.DictReader(table.read_text().splitlines())}
    assert set(exported) == set(calls_of(switchboard))
    assert float(exported[call_id]["total_cost"]) == record["total_cost"] > 0


def _new_call(
    switchboard: LiveSwitchboard, before: set[str], calling: subprocess.Popen[bytes]
) -> str:
    waiting = threading.Event()
    while calling.poll() is None:
        if new := set(calls_of(switchboard)) - before:
            return new.pop()
        waiting.wait(0.2)
    pytest.fail("the caller made no call")


def _watched(switchboard: LiveSwitchboard, call_id: str) -> list[LiveEvent]:
    with client_of(switchboard) as client:
        return list(client.calls.stream(call_id))
