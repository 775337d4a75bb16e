"""``switchboard webhooks listen``."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from switchboard.commands.webhook.listening import ASK_SECONDS
from switchboard_client import webhooks
from switchboard_client.models import CallFailedEvent
from tests.switchboard.commands.conftest import Terminal
from tests.switchboard.commands.stand_in_api import StandInApi

SECRET = "a secret of the developer"
ASKED = "limit=50&redaction_level=partial"
BODY = json.dumps(
    {
        "event": "call.failed",
        "timestamp": "2026-05-03T12:30:00.123456Z",
        "data": {
            "call_id": "0198f0a1-0000-7000-8000-000000000001",
            "session_id": "call-0198f0a1",
            "agent_id": "4c2b8f6e-0000-4000-8000-000000000002",
            "status": "failed",
            "reason": "größer",
        },
    },
    ensure_ascii=False,
)
Received = list[tuple[dict[str, str], bytes]]


@contextmanager
def own_machine() -> Iterator[tuple[str, Received]]:
    """A web server of the developer, and what it was sent."""
    received: Received = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((dict(self.headers.items()), body))
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Says nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/hooks", received
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ASK_SECONDS >= 1
    monkeypatch.setattr("switchboard.commands.webhook.listening.ASK_SECONDS", 0.01)


def will_tell(api: StandInApi, *events: dict[str, Any]) -> None:
    """What has happened since ``5.0``; after that the key is not valid any more."""
    api.will("GET", f"/v1/webhooks/events?{ASKED}", 200, {"events": [], "next_cursor": "5.0"})
    answer = {"events": list(events), "next_cursor": "6.1"}
    api.will("GET", f"/v1/webhooks/events?cursor=5.0&{ASKED}", 200, answer)
    api.refuse("GET", f"/v1/webhooks/events?cursor=6.1&{ASKED}", 401, code="invalid_api_key")


def event(name: str = "call.failed") -> dict[str, Any]:
    body = BODY.replace("call.failed", name)
    return {"id": "0b0f6a52-8c1e-4a39-9a3f-3a2d6a2b1c11", "event": name, "body": body}


def test_events_are_forwarded_signed_and_printed(terminal: Terminal, api: StandInApi) -> None:
    will_tell(api, event())
    with own_machine() as (address, received):
        result = terminal.type("webhooks", "listen", address, "--secret", SECRET)
    assert result.exit_code == 1, "the key was revoked in the end"
    [(headers, body)] = received
    assert body.decode() == BODY
    assert isinstance(webhooks.verify(body, headers, SECRET), CallFailedEvent)
    assert headers["webhook-id"] == "msg_0b0f6a528c1e4a399a3f3a2d6a2b1c11"
    assert "call.failed  204" in result.output
    assert '"reason": "größer"' in result.output


@pytest.mark.parametrize("failure", [503, None])
def test_listening_goes_on_after_a_restart_of_the_api(
    terminal: Terminal, api: StandInApi, failure: int | None
) -> None:
    will_tell(api, event())
    # The client itself tries three times.
    api.away["GET", f"/v1/webhooks/events?cursor=5.0&{ASKED}"] = [failure] * 7
    with own_machine() as (address, received):
        result = terminal.type("webhooks", "listen", address, "--secret", SECRET)
    assert len(received) == 1
    assert result.output.count("Waiting for the API") == 1


def test_only_the_events_that_were_named_are_forwarded(terminal: Terminal, api: StandInApi) -> None:
    will_tell(api, event("call.started"), event())
    with own_machine() as (address, received):
        terminal.type("webhooks", "listen", address, "--secret", SECRET, "--event", "call.failed")
    assert [headers["X-Svc-Event"] for headers, _ in received] == ["call.failed"]


def test_without_a_secret_a_new_one_is_shown(terminal: Terminal, api: StandInApi) -> None:
    will_tell(api, event())
    with own_machine() as (address, received):
        result = terminal.type("webhooks", "listen", address)
    secret = result.output.partition("Signed with the secret ")[2].split()[0]
    [(headers, body)] = received
    assert webhooks.verify(body, headers, secret)


def test_a_machine_that_does_not_answer_is_said_and_the_next_event_is_tried(
    terminal: Terminal, api: StandInApi
) -> None:
    will_tell(api, event(), event("call.started"))
    with own_machine() as (address, _):
        pass
    result = terminal.type("webhooks", "listen", address, "--secret", SECRET)
    assert result.output.count("no answer") == 2


@pytest.mark.parametrize("address", ["localhost", "ftp://localhost/", "http://"])
def test_what_is_no_address_is_refused(terminal: Terminal, api: StandInApi, address: str) -> None:
    result = terminal.type("webhooks", "listen", address)
    assert result.exit_code == 1
    assert "is no address" in result.output
    assert api.asked == []
