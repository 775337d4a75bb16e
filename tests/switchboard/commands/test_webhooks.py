"""``switchboard webhooks``."""

from __future__ import annotations

from typing import Any

from tests.switchboard.commands.conftest import Terminal
from tests.switchboard.commands.stand_in_api import StandInApi

ID = "0b0f6a52-8c1e-4a39-9a3f-3a2d6a2b1c11"
HOOK: dict[str, Any] = {
    "id": ID,
    "url": "https://hooks.example.com/",
    "events": ["call.failed"],
    "created_at": "2026-01-05T09:30:00Z",
}
RESULT: dict[str, Any] = {
    "status": "failed",
    "duration_ms": 12,
    "status_code": 500,
    "error": "The answer was 500; 2xx was expected.",
    "answer": "broken",
    "request": {"url": HOOK["url"], "headers": {}, "body": "{}"},
}

QUEUED: dict[str, Any] = {"status": "queued", "count": 3, "next_from": None}


def test_webhooks_are_listed(terminal: Terminal, api: StandInApi) -> None:
    page = {"webhooks": [HOOK], "total": 1, "offset": 0, "limit": 50}
    api.will("GET", "/v1/webhooks?limit=50&offset=0", 200, page)
    result = terminal.type("webhooks", "list")
    assert result.exit_code == 0, result.output
    for shown in (ID, "call.failed", "https://hooks.example.com/"):
        assert shown in result.stdout


def test_a_test_shows_the_answer(terminal: Terminal, api: StandInApi) -> None:
    api.will("POST", f"/v1/webhooks/{ID}/test", 200, RESULT)
    result = terminal.type("webhooks", "test", ID, "--event", "call.failed")
    assert result.exit_code == 0, result.output
    assert api.asked[0].body == {"event": "call.failed"}
    assert "Failed: answer 500 after 12 ms. The answer was 500" in result.stdout
    assert "broken" in result.stdout


def test_a_span_is_replayed(terminal: Terminal, api: StandInApi) -> None:
    api.will("POST", f"/v1/webhooks/{ID}/replay", 200, QUEUED)
    result = terminal.type(
        *("webhooks", "replay", ID, "--from", "2026-05-03T12:00:00Z"),
        *("--to", "2026-05-03T13:00:00Z", "--everything"),
    )
    assert result.exit_code == 0, result.output
    assert result.stdout.strip() == "3 deliveries are sent again."
    assert api.asked[0].body == {
        "from": "2026-05-03T12:00:00+00:00",
        "to": "2026-05-03T13:00:00+00:00",
        "only_failed": False,
    }


def test_what_is_left_of_a_long_span_is_replayed_from_where_it_says(
    terminal: Terminal, api: StandInApi
) -> None:
    left = "2026-05-03T12:30:00.250000+00:00"
    api.will("POST", f"/v1/webhooks/{ID}/replay", 200, QUEUED | {"next_from": left})
    replay = ("webhooks", "replay", ID, "--to", "2026-05-03T13:00:00Z", "--from")
    result = terminal.type(*replay, "2026-05-03T12:00:00Z")
    assert result.exit_code == 0, result.output
    assert f"--from {left}" in result.stdout
    result = terminal.type(*replay, left)
    assert result.exit_code == 0, result.output
    assert api.asked[1].body["from"] == left
