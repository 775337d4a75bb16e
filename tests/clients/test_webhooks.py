"""A receiver in Python checks a delivery and gets a typed event."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from uuid import UUID

import pytest

from control_plane.notifying.webhooks.event_names import EMITTED_EVENTS
from control_plane.notifying.webhooks.requests import DeliveryRequest, delivery_request
from control_plane.notifying.webhooks.samples import sample_data, sample_origin
from switchboard_client import models
from switchboard_client.webhooks import SignatureInvalid, UnknownEvent, verify

SECRET = "a secret of the tests"
NOW = datetime(2026, 5, 3, 12, 30, tzinfo=UTC)
MODELS = {
    "call.started": models.CallStartedEvent,
    "call.failed": models.CallFailedEvent,
    "call.completed": models.CallCompletedEvent,
    "call.intelligence.ready": models.IntelligenceReadyEvent,
}


def sent(event: str, level: str = "partial") -> DeliveryRequest:
    return delivery_request(
        event=event,
        event_id=UUID(int=7),
        origin=sample_origin(event) if event in EMITTED_EVENTS else "gateway",
        occurred_at=NOW,
        data=sample_data(event, UUID(int=7), UUID(int=8)),
        redaction_level=level,
        secrets=[SECRET],
        now=NOW,
    )


@pytest.mark.parametrize("level", ["none", "partial", "full"])
@pytest.mark.parametrize("event", EMITTED_EVENTS)
def test_every_event_has_its_type_at_every_level(event: str, level: str) -> None:
    request = sent(event, level)
    found = verify(request.body, request.headers, SECRET, now=NOW.timestamp())
    assert type(found) is MODELS.get(event, models.NotificationEvent)
    assert found.event == event


def test_a_lean_completion_is_told_from_a_rich_one() -> None:
    rich = json.loads(sent("call.completed").body)
    lean = {name: value for name, value in rich.items() if name != "type"}
    kept = ("call_id", "session_id", "agent_id", "status", "reason", "duration", "transcript")
    lean["data"] = {name: rich["data"][name] for name in kept} | {
        "cost": None,
        "intelligence_status": "pending",
    }
    read = models.LeanCallCompletedEvent.model_validate(lean)
    assert read.data.transcript is not None


def test_an_event_that_is_new_is_no_error() -> None:
    request = delivery_request(
        event="custom.alert",
        event_id=UUID(int=7),
        origin="gateway",
        occurred_at=NOW,
        data={"level": 3},
        redaction_level="none",
        secrets=[SECRET],
        now=NOW,
    )
    found = verify(request.body, request.headers, SECRET, now=NOW.timestamp())
    assert isinstance(found, UnknownEvent)
    assert found.event == "custom.alert"


@pytest.mark.parametrize(
    ("secret", "body", "later"),
    [("another secret", b"", 0), (SECRET, b" ", 0), (SECRET, b"", 301), (SECRET, b"", -301)],
)
def test_what_was_not_signed_now_and_with_the_secret_is_refused(
    secret: str, body: bytes, later: float
) -> None:
    request = sent("call.failed")
    with pytest.raises(SignatureInvalid):
        verify(request.body + body, request.headers, secret, now=NOW.timestamp() + later)


def test_a_delivery_without_headers_is_refused() -> None:
    with pytest.raises(SignatureInvalid):
        verify(b"{}", {}, SECRET)


@pytest.mark.parametrize("name", ["X-Svc-Signature", "X-Svc-Timestamp"])
@pytest.mark.parametrize("value", ["\udce9", "é"])
def test_a_header_that_is_no_text_is_refused_as_a_wrong_signature(name: str, value: str) -> None:
    request = sent("call.failed")
    with pytest.raises(SignatureInvalid):
        verify(request.body, {**request.headers, name: value}, SECRET, now=NOW.timestamp())
