"""``switchboard calls``."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from switchboard.commands.call.export import COLUMNS
from tests.switchboard.commands.conftest import Terminal
from tests.switchboard.commands.stand_in_api import StandInApi

ID = "b1a6c0de-52a9-4d59-8f0e-6a7f8c9d0e1f"
AGENT_ID = "7f3c8f0e-0d1e-4a3b-9d55-2f1f1f6a9c11"
PERSON = {"identity": "ada", "transport": "webrtc"}
CALL: dict[str, Any] = {
    "id": ID,
    "room_name": f"call-{ID}",
    "agent_id": AGENT_ID,
    "status": "completed",
    "created_at": "2026-01-05T09:30:00Z",
    "started_at": "2026-01-05T09:30:01Z",
    "ended_at": "2026-01-05T09:31:06Z",
    "bill_duration": 65.2,
    "billable_seconds": 90,
    "total_cost": 0.0375,
    "telecom_cost": 0.03,
    "provider_cost": None,
    "provider_cost_breakdown": None,
    "provider_cost_calculated_at": None,
    "provider_cost_actual": None,
    "provider_cost_actual_breakdown": None,
    "feedback": None,
    "end_reason": "participant_disconnected",
    "metadata": {"order": 17},
    "intelligence_status": "completed",
    "participant_count": 1,
    "primary_participant": PERSON,
    "participants": [PERSON | {"id": ID, "role": "caller", "status": "completed"}],
}
SEGMENT = {
    "speaker": "agent",
    "text": "Hello, [bold]this[/bold] is Mia.",
    "sequence": 0,
    "started_at_ms": 61_000,
    "ended_at_ms": 63_000,
    "is_final": True,
    "source": "runtime",
}
VERDICT = {"passed": True, "score": 0.9, "reasoning": "All was asked.", "criteria": []}
DETAIL = CALL | {
    "participants": [
        CALL["participants"][0]
        | {"from_number": None, "metadata": {}, "telephony_leg_id": None, "job_id": None}
    ],
    "agent": {"id": AGENT_ID, "name": "Mia"},
    "transcript": {"text": "", "segments": [SEGMENT], "raw": []},
    "recording": None,
    "intelligence": {
        "status": "completed",
        "summary": "A table for four.",
        "sentiment": "positive",
        "structured_data": None,
        "evaluation": VERDICT,
        "errors": [],
        "analyser": None,
        "usage": [],
    },
    "usage": [],
    "collected_slots": {"party size": "four"},
    "events": [],
}
STREAM = b"""retry: 0

event: state
data: {"subject":"call","state":"in_progress","end_reason":null}

event: transcript
data: {"utterance":0,"sequence":null,"speaker":"agent","text":"Hel","is_final":false,"at_ms":900}
id: 1-0

event: latency
data: {"utterance":0,"sequence":0,"end_to_end_ms":412}
id: 2-0

event: transcript
data: {"utterance":0,"sequence":0,"speaker":"agent","text":"Hello!","is_final":true,"at_ms":900}
id: 3-0

event: transcript
data: {"utterance":null,"sequence":0,"speaker":"agent","text":"Hello!","is_final":true,"at_ms":900}
id: 3-0

event: tool
data: {"name":"book_table","is_error":true}
id: 4-0

event: state
data: {"subject":"call","state":"completed","end_reason":"end_call_tool"}
id: end

"""


def page(calls: list[dict[str, Any]], total: int, next_cursor: str | None = None) -> dict[str, Any]:
    return {"calls": calls, "total": total, "offset": 0, "limit": 20, "next_cursor": next_cursor}


def listed(query: str = "limit=20&offset=0") -> str:
    return f"/v1/calls?{query}"


def test_calls_are_listed(terminal: Terminal, api: StandInApi) -> None:
    answered = page([CALL], 3)
    api.will("GET", listed(), 200, answered)
    result = terminal.type("calls", "list")
    assert result.exit_code == 0, result.output
    for shown in (ID, "completed", "1:05", "$0.0375", "ada"):
        assert shown in result.stdout
    assert "1 of 3" in result.stderr
    assert json.loads(terminal.type("calls", "list", "--json").stdout) == answered


def test_calls_are_listed_by_status_and_agent(terminal: Terminal, api: StandInApi) -> None:
    query = f"limit=5&offset=10&status=failed&agent_id={AGENT_ID}"
    api.will("GET", listed(query), 200, page([], 0))
    words = ("--limit", "5", "--offset", "10", "--status", "failed", "--agent", AGENT_ID)
    result = terminal.type("calls", "list", *words)
    assert result.exit_code == 0, result.output
    assert "switchboard call --agent" in result.stderr


def test_one_call_is_shown_with_what_was_said(terminal: Terminal, api: StandInApi) -> None:
    api.will("GET", f"/v1/calls/{ID}", 200, DETAIL)
    result = terminal.type("calls", "show", ID)
    assert result.exit_code == 0, result.output
    for shown in (
        f"Mia ({AGENT_ID})",
        "ada (webrtc, completed)",
        "participant_disconnected",
        "A table for four.",
        "passed, 0.90: All was asked.",
        "party size: four",
        "1:01",
        "Hello, [bold]this[/bold] is Mia.",
    ):
        assert shown in result.stdout
    assert json.loads(terminal.type("calls", "show", ID, "--json").stdout) == DETAIL


def test_a_call_that_is_not_there_is_said(terminal: Terminal, api: StandInApi) -> None:
    api.refuse("GET", f"/v1/calls/{ID}", 404, code="call_not_found", detail="Call not found")
    result = terminal.type("calls", "show", ID)
    assert result.exit_code == 1
    assert "Call not found" in result.stderr
    assert result.stdout == ""


def test_a_call_is_ended(terminal: Terminal, api: StandInApi) -> None:
    ended = {"status": "ended", "id": ID, "message": "The call is over."}
    api.will("POST", f"/v1/calls/{ID}/end", 200, ended)
    assert "The call is over." in terminal.type("calls", "end", ID).stdout
    assert json.loads(terminal.type("calls", "end", ID, "--json").stdout) == ended


def test_a_call_that_is_over_cannot_be_ended(terminal: Terminal, api: StandInApi) -> None:
    path = f"/v1/calls/{ID}/end"
    api.refuse("POST", path, 409, code="call_already_over", detail="The call is over already")
    result = terminal.type("calls", "end", ID)
    assert result.exit_code == 1
    assert "over already" in result.stderr


def test_a_call_is_followed_and_each_utterance_shown_once(
    terminal: Terminal, api: StandInApi
) -> None:
    api.will("GET", f"/v1/calls/{ID}", 200, DETAIL)
    api.will("GET", f"/v1/calls/{ID}/stream", 200, STREAM)
    result = terminal.type("calls", "tail", ID)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("Hello!") == 1
    assert "412 ms" in result.stdout
    assert "tool book_table failed" in result.stdout
    assert "call completed: end_call_tool" in result.stdout


def test_without_an_id_the_newest_call_in_progress_is_followed(
    terminal: Terminal, api: StandInApi
) -> None:
    api.will("GET", "/v1/calls/active?limit=1&offset=0", 200, page([CALL], 1))
    api.will("GET", f"/v1/calls/{ID}/stream", 200, STREAM)
    result = terminal.type("calls", "tail")
    assert "Hello!" in result.stdout
    assert ID in result.stderr


def test_with_nothing_in_progress_there_is_nothing_to_follow(
    terminal: Terminal, api: StandInApi
) -> None:
    api.will("GET", "/v1/calls/active?limit=1&offset=0", 200, page([], 0))
    result = terminal.type("calls", "tail")
    assert result.exit_code == 1
    assert "No call is in progress" in result.stderr


def test_programs_get_one_event_a_line(terminal: Terminal, api: StandInApi) -> None:
    api.will("GET", f"/v1/calls/{ID}", 200, DETAIL)
    api.will("GET", f"/v1/calls/{ID}/stream?follow=false", 200, STREAM)
    result = terminal.type("calls", "tail", ID, "--no-follow", "--json")
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [each["event"] for each in events][:2] == ["state", "transcript"]
    assert events[-1] == {
        "event": "state",
        "id": "end",
        "data": {"subject": "call", "state": "completed", "end_reason": "end_call_tool"},
    }


@pytest.fixture
def many(api: StandInApi) -> list[dict[str, Any]]:
    """An account with three calls, on two pages."""
    calls = [CALL | {"id": str(UUID(int=number))} for number in (3, 2, 1)]
    calls[1] |= {"primary_participant": PERSON | {"identity": '=HYPERLINK("http://x")'}}
    api.will("GET", listed("limit=1&offset=0"), 200, page(calls[:1], 3))
    first = page(calls[:2], 3, calls[1]["id"])
    api.will("GET", listed("limit=500&offset=0"), 200, first)
    cursor = f"limit=500&offset=0&cursor={calls[1]['id']}"
    api.will("GET", listed(cursor), 200, page(calls[2:], 3))
    return calls


def test_calls_are_exported_as_a_table(
    terminal: Terminal, many: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "calls.csv"
    result = terminal.type("calls", "export", "--output", str(path))
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader(path.read_text().splitlines()))
    assert [row["id"] for row in rows] == [call["id"] for call in many]
    assert tuple(rows[0]) == COLUMNS
    assert (rows[0]["total_cost"], rows[0]["metadata"]) == ("0.0375", '{"order": 17}')
    assert "3 calls" in result.stderr
    assert list(tmp_path.iterdir()) == [path]


def test_a_spreadsheet_never_runs_what_a_caller_wrote(
    terminal: Terminal, many: list[dict[str, Any]]
) -> None:
    result = terminal.type("calls", "export")
    rows = list(csv.DictReader(result.stdout.splitlines()))
    assert rows[1]["identity"] == '\'=HYPERLINK("http://x")'


def test_calls_are_exported_as_the_apis_documents(
    terminal: Terminal, many: list[dict[str, Any]]
) -> None:
    result = terminal.type("calls", "export", "--format", "jsonl")
    assert [json.loads(line) for line in result.stdout.splitlines()] == many


def test_an_export_ends_at_its_limit_and_says_so(terminal: Terminal, api: StandInApi) -> None:
    calls = [CALL | {"id": str(UUID(int=number))} for number in (3, 2)]
    api.will("GET", listed("limit=1&offset=0"), 200, page(calls[:1], 3))
    api.will("GET", listed("limit=2&offset=0"), 200, page(calls, 3, calls[1]["id"]))
    result = terminal.type("calls", "export", "--limit", "2", "--format", "jsonl")
    assert len(result.stdout.splitlines()) == 2
    assert "There are 3" in result.stderr
    assert len(api.asked) == 2


def test_an_export_that_fails_leaves_the_file_as_it_was(
    terminal: Terminal, api: StandInApi, tmp_path: Path
) -> None:
    path = tmp_path / "calls.csv"
    path.write_text("yesterday's")
    api.will("GET", listed("limit=1&offset=0"), 200, page([CALL], 2))
    api.refuse("GET", listed("limit=500&offset=0"), 401, code="unauthorized", detail="No key.")
    result = terminal.type("calls", "export", "-o", str(path))
    assert result.exit_code == 1
    assert path.read_text() == "yesterday's"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("place", ["nowhere/calls.csv", "a-file/calls.csv", "."])
def test_a_file_that_cannot_be_written_is_said_in_one_line(
    terminal: Terminal, api: StandInApi, tmp_path: Path, place: str
) -> None:
    (tmp_path / "a-file").write_text("")
    result = terminal.type("calls", "export", "-o", str(tmp_path / place))
    assert result.exit_code == 1
    assert str(tmp_path / place) in result.stderr.replace("\n", "")
    assert "Traceback" not in result.output
    assert api.asked == []


def test_wrong_words_on_the_command_line_are_exit_code_2(terminal: Terminal) -> None:
    for words in (["list", "--limit", "0"], ["show"], ["export", "--format", "xml"], ["fly"]):
        assert terminal.type("calls", *words).exit_code == 2
