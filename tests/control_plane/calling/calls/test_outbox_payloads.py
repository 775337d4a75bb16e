"""Payloads of the gateway's events. Source: API spec, "Payload data"."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from control_plane.calling.calls.models import Call, CallParticipant, Segment
from control_plane.calling.calls.outbox_payloads import (
    call_failed,
    call_started,
    lean_call_completed,
    leg_started,
    transcript,
)

CALL_ID, AGENT_ID, LEG_ID = (UUID(int=number) for number in (1, 2, 3))
AT = datetime(2026, 5, 3, 12, 30, tzinfo=UTC)
WHOSE = {"call_id": str(CALL_ID), "session_id": "call-1", "agent_id": str(AGENT_ID)}


def call(**fields: object) -> Call:
    return Call(id=CALL_ID, agent_id=AGENT_ID, room_name="call-1", **fields)


BROWSER = CallParticipant(id=LEG_ID, transport="webrtc", identity="ada")
PHONE = CallParticipant(id=LEG_ID, transport="pstn", identity="+14155550100")


def test_a_browsers_call_has_the_word_web_for_a_number() -> None:
    web = {"channel": "web", "to_number": "web", "started_at": "2026-05-03T12:30:00+00:00"}
    assert call_started(call(), BROWSER, AT) == WHOSE | web
    assert call_started(call(), None, AT) == WHOSE | web


def test_a_phones_call_has_the_dialed_number_and_its_leg_the_participant_besides() -> None:
    phone = WHOSE | {
        "channel": "phone",
        "to_number": "+14155550100",
        "started_at": "2026-05-03T12:30:00+00:00",
    }
    assert call_started(call(), PHONE, AT) == phone
    assert leg_started(call(), PHONE, AT) == phone | {"participant_id": str(LEG_ID)}


def test_a_failed_call_says_why() -> None:
    failed = call(status="failed", end_reason="insufficient_funds")
    assert call_failed(failed) == WHOSE | {"status": "failed", "reason": "insufficient_funds"}


def test_a_busy_phone_is_a_failure_with_its_own_reason() -> None:
    busy = call(status="busy", end_reason="twilio_busy")
    assert call_failed(busy) == WHOSE | {"status": "failed", "reason": "twilio_busy"}


def test_the_lean_completion_has_nothing_that_an_analysis_finds() -> None:
    over = call(status="completed", end_reason="participant_disconnected", connected_ms=12_500)
    assert lean_call_completed(over) == WHOSE | {
        "status": "completed",
        "reason": "participant_disconnected",
        "duration": 12.5,
        "cost": None,
        "intelligence_status": "pending",
    }


def test_a_transcript_has_what_was_said_as_a_text_and_in_segments() -> None:
    said = [
        Segment(sequence=n, speaker=speaker, text=text, started_at_ms=n, ended_at_ms=n + 1)
        for n, (speaker, text) in enumerate([("agent", "Hello?"), ("user", "Hi.")])
    ]
    first, second = (
        {"speaker": "agent", "text": "Hello?", "sequence": 0},
        {"speaker": "user", "text": "Hi.", "sequence": 1},
    )
    assert transcript(said) == {
        "text": "agent: Hello?\nuser: Hi.",
        "segments": [
            first | {"started_at_ms": 0, "ended_at_ms": 1},
            second | {"started_at_ms": 1, "ended_at_ms": 2},
        ],
    }
