"""What carriers' webhooks mean, against each carrier's own list (``statuses/``)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from carriers.account import CarrierName
from carriers.call_events import (
    AnsweredBy,
    CallArrived,
    CallEvent,
    DigitPressed,
    MachineDetected,
    PlaybackEnded,
    StageReached,
    StreamFailed,
)
from carriers.registry import CARRIERS, carrier_of
from carriers.signed_request import CarrierRequest
from carriers.vonage.webhook import for_dialed_call
from contracts.dial_outcome import DialOutcome, carrier_end_reason
from contracts.dialing import LegStage

LISTS = {
    name: json.loads((Path(__file__).parent / "statuses" / f"{name}.json").read_text())
    for name in CarrierName
}
URL = "https://phones.example/carriers/x/1/status"


def _read(carrier: CarrierName, body: bytes, url: str = URL) -> tuple[CallEvent, ...]:
    return carrier_of(carrier).read_events(CarrierRequest("POST", url, {}, body))


def _form(carrier: CarrierName, **fields: str) -> tuple[CallEvent, ...]:
    return _read(carrier, urlencode(fields).encode())


def _twilio(**fields: str) -> tuple[CallEvent, ...]:
    return _form(CarrierName.TWILIO, CallSid="CA1", **fields)


def _telnyx(event: str, **payload: Any) -> tuple[CallEvent, ...]:
    document = {
        "data": {
            "event_type": event,
            "id": "e-1",
            "occurred_at": "2026-01-01T00:00:00Z",
            "payload": {"call_control_id": "v3:c", **payload},
            "record_type": "event",
        },
        "meta": {"attempt": 1, "delivered_to": URL},
    }
    return _read(CarrierName.TELNYX, json.dumps(document).encode())


def _plivo(**fields: str) -> tuple[CallEvent, ...]:
    return _form(CarrierName.PLIVO, CallUUID="c-1", **fields)


def _vonage(url: str = URL, **document: Any) -> tuple[CallEvent, ...]:
    return _read(CarrierName.VONAGE, json.dumps(document).encode(), url)


def _ended(events: tuple[CallEvent, ...]) -> StageReached:
    (event,) = events
    assert isinstance(event, StageReached)
    assert event.stage is LegStage.ENDED
    return event


def _expected(word: str | None) -> DialOutcome | None:
    return None if word is None else DialOutcome(word)


@pytest.mark.parametrize("status", LISTS[CarrierName.TWILIO]["statuses"])
def test_every_status_of_twilio(status: str) -> None:
    (event,) = _twilio(CallStatus=status, CallbackSource="call-progress-events")
    assert isinstance(event, StageReached)
    assert event.outcome == _expected(LISTS[CarrierName.TWILIO]["statuses"][status])
    assert (event.call_id, event.status) == ("CA1", status)


@pytest.mark.parametrize("cause", LISTS[CarrierName.TELNYX]["statuses"])
def test_every_cause_of_telnyx(cause: str) -> None:
    event = _ended(_telnyx("call.hangup", hangup_cause=cause, sip_hangup_cause="486"))
    assert event.outcome == _expected(LISTS[CarrierName.TELNYX]["statuses"][cause])
    assert (event.status, event.detail) == (cause, "SIP 486")


@pytest.mark.parametrize("status", LISTS[CarrierName.PLIVO]["statuses"])
def test_every_status_of_plivo(status: str) -> None:
    (event,) = _plivo(CallStatus=status, Direction="outbound")
    assert isinstance(event, StageReached)
    assert event.outcome == _expected(LISTS[CarrierName.PLIVO]["statuses"][status])


@pytest.mark.parametrize("code", LISTS[CarrierName.PLIVO]["causes"])
def test_every_hangup_cause_of_plivo_says_more_than_its_status(code: str) -> None:
    event = _ended(_plivo(CallStatus="failed", HangupCauseCode=code, HangupCauseName="Cause"))
    expected = _expected(LISTS[CarrierName.PLIVO]["causes"][code])
    assert event.outcome == (expected or DialOutcome.FAILED)
    assert event.detail == "Cause"
    assert code in carrier_of(CarrierName.PLIVO).statuses


def test_the_causes_of_plivo_are_all_in_its_list() -> None:
    known = {status for status in carrier_of(CarrierName.PLIVO).statuses if status.isdigit()}
    assert known == set(LISTS[CarrierName.PLIVO]["causes"])


@pytest.mark.parametrize("status", LISTS[CarrierName.VONAGE]["statuses"])
def test_every_status_of_vonage(status: str) -> None:
    (event,) = _vonage(uuid="u-1", status=status, duration="12")
    assert isinstance(event, StageReached)
    assert event.outcome == _expected(LISTS[CarrierName.VONAGE]["statuses"][status])
    is_over = event.stage is LegStage.ENDED
    assert event.duration_seconds == (12 if is_over else None)


@pytest.mark.parametrize("status", LISTS[CarrierName.VONAGE]["details"])
def test_every_detail_of_vonage(status: str) -> None:
    for detail, word in LISTS[CarrierName.VONAGE]["details"][status].items():
        for said in (detail, {"type": detail}):
            event = _ended(_vonage(uuid="u-1", status=status, detail=said))
            assert (event.outcome, event.detail) == (_expected(word), detail)


@pytest.mark.parametrize("status", LISTS[CarrierName.VONAGE]["not_of_the_call"])
def test_vonages_other_events_move_no_call(status: str) -> None:
    events = _vonage(uuid="u-1", call_uuid="u-1", status=status)
    assert not [event for event in events if isinstance(event, StageReached)]


def test_every_outcome_is_a_reason_that_the_api_knows() -> None:
    for spec in CARRIERS:
        for meaning in spec.statuses.values():
            if meaning.outcome is not None:
                reason = carrier_end_reason(spec.name, meaning.outcome)
                assert reason.startswith(f"{spec.name.value}_")


def test_no_answer_and_busy_are_told_apart_by_every_carrier() -> None:
    for spec in CARRIERS:
        outcomes = {meaning.outcome for meaning in spec.statuses.values()}
        assert outcomes >= {
            DialOutcome.BUSY,
            DialOutcome.NO_ANSWER,
            DialOutcome.CANCELED,
            DialOutcome.FAILED,
            DialOutcome.REJECTED,
            DialOutcome.UNREACHABLE,
        }


ARRIVED = CallArrived("", "+14155550100", "+14155550199")


def test_an_inbound_call_is_the_same_event_from_every_carrier() -> None:
    arrived = [
        _twilio(CallStatus="ringing", Direction="inbound", From="+14155550100", To="+14155550199"),
        _telnyx(
            "call.initiated", direction="incoming", **{"from": "+14155550100", "to": "+14155550199"}
        ),
        _plivo(CallStatus="ringing", Direction="inbound", From="14155550100", To="14155550199"),
        _vonage(
            **{"from": "14155550100", "to": "14155550199", "uuid": "u-1", "conversation_uuid": "C"}
        ),
    ]
    calls = [event for events in arrived for event in events]
    assert [(call.from_number, call.to_number) for call in calls if isinstance(call, CallArrived)]
    assert calls == [
        CallArrived(call_id, ARRIVED.from_number, ARRIVED.to_number)
        for call_id in ("CA1", "v3:c", "c-1", "u-1")
    ]


def test_a_caller_without_a_number_keeps_the_carriers_word() -> None:
    (call,) = _twilio(
        CallStatus="ringing", Direction="inbound", From="anonymous", To="+14155550199"
    )
    assert isinstance(call, CallArrived)
    assert call.from_number == "anonymous"


def test_the_question_for_an_answer_of_a_dialed_call_says_that_it_was_answered() -> None:
    answered = [
        _twilio(CallStatus="in-progress", Direction="outbound-api"),
        _telnyx("call.answered"),
        _plivo(CallStatus="in-progress", Direction="outbound", Event="StartApp"),
        _vonage(url=for_dialed_call(URL), uuid="u-1", to="14155550100", **{"from": "14155550199"}),
        _vonage(url=for_dialed_call(f"{URL}?a=1"), uuid="u-1", to="1415", **{"from": "1"}),
    ]
    for (event,) in answered:
        assert isinstance(event, StageReached)
        assert event.stage is LegStage.ANSWERED


def test_a_status_callback_of_an_inbound_call_is_no_new_call() -> None:
    (event,) = _twilio(
        CallStatus="completed",
        Direction="inbound",
        CallbackSource="call-progress-events",
        CallDuration="31",
    )
    assert event == StageReached("CA1", LegStage.ENDED, "completed", None, None, 31)


def test_twilio_tells_a_number_that_does_not_exist_by_its_sip_response() -> None:
    event = _ended(_twilio(CallStatus="failed", SipResponseCode="404", ErrorMessage="no route"))
    assert event.outcome is DialOutcome.UNREACHABLE
    assert event.detail == "no route, SIP 404"
    assert _ended(_twilio(CallStatus="failed", SipResponseCode="500")).outcome is DialOutcome.FAILED


def test_an_unknown_cause_is_a_failure() -> None:
    event = _ended(_telnyx("call.hangup", hangup_cause="martians"))
    assert (event.outcome, event.status) == (DialOutcome.FAILED, "martians")
    assert _ended(_telnyx("call.hangup")).status == "unspecified"
    event = _ended(_plivo(CallStatus="failed", HangupCauseCode="424242"))
    assert event.outcome is DialOutcome.FAILED


@pytest.mark.parametrize("word", LISTS[CarrierName.TWILIO]["answered_by"])
def test_every_answer_of_twilios_machine_detection(word: str) -> None:
    expected = AnsweredBy(LISTS[CarrierName.TWILIO]["answered_by"][word])
    assert _twilio(AnsweredBy=word) == (MachineDetected("CA1", expected),)


def test_a_status_of_twilio_that_names_who_has_answered_is_a_status() -> None:
    end = _twilio(
        AnsweredBy="machine_start",
        CallStatus="completed",
        CallbackSource="call-progress-events",
        CallDuration="7",
    )
    assert end == (StageReached("CA1", LegStage.ENDED, "completed", None, None, 7),)


@pytest.mark.parametrize("word", LISTS[CarrierName.TELNYX]["answered_by"])
def test_every_answer_of_telnyxs_machine_detection(word: str) -> None:
    expected = AnsweredBy(LISTS[CarrierName.TELNYX]["answered_by"][word])
    for event in ("call.machine.detection.ended", "call.machine.premium.detection.ended"):
        assert _telnyx(event, result=word) == (MachineDetected("v3:c", expected),)


def test_a_machine_is_ready_after_its_greeting() -> None:
    ready = [
        _telnyx("call.machine.greeting.ended", result="beep_detected"),
        _telnyx("call.machine.premium.greeting.ended", result="beep_detected"),
        _vonage(call_uuid="v3:c", status="machine", sub_state="beep_start"),
    ]
    assert ready == [(MachineDetected("v3:c", AnsweredBy.MACHINE_READY),)] * 3


def test_plivo_and_vonage_tell_a_person_from_a_machine() -> None:
    assert [
        _plivo(Event="MachineDetection", Machine="true"),
        _plivo(Event="MachineDetection", Machine="false"),
        _vonage(call_uuid="c-1", status="machine"),
        _vonage(call_uuid="c-1", status="human"),
    ] == [
        (MachineDetected("c-1", answered_by),)
        for answered_by in [AnsweredBy.MACHINE, AnsweredBy.HUMAN] * 2
    ]


def test_a_stream_that_failed_is_told() -> None:
    assert [
        _twilio(StreamEvent="stream-error", StreamError="no route"),
        _telnyx("streaming.failed", failure_reason="connection_failed"),
        _plivo(Event="DroppedStream"),
        _vonage(uuid="u-1", status="disconnected"),
    ] == [
        (StreamFailed("CA1", "no route"),),
        (StreamFailed("v3:c", "connection_failed"),),
        (StreamFailed("c-1", "Plivo lost the connection of the stream"),),
        (StreamFailed("u-1", "Vonage lost the connection of the stream"),),
    ]


def test_a_stream_that_does_well_is_no_event() -> None:
    assert _twilio(StreamEvent="stream-started") == ()
    assert _telnyx("streaming.started") == ()
    assert _plivo(Event="StartStream", Direction="inbound", CallStatus="in-progress") == ()


def test_telnyx_reports_keys_and_the_end_of_a_recording_too() -> None:
    assert _telnyx("call.dtmf.received", digit="5") == (DigitPressed("v3:c", "5"),)
    assert _telnyx("call.dtmf.received") == ()
    assert _telnyx("call.playback.ended") == (PlaybackEnded("v3:c"),)


def test_a_dialed_call_of_plivo_is_known_by_its_request() -> None:
    event = _ended(_plivo(RequestUUID="r-1", CallStatus="busy", HangupCauseCode="3010"))
    assert (event.call_id, event.outcome) == ("r-1", DialOutcome.BUSY)


@given(
    st.sampled_from(list(CarrierName)),
    st.binary(max_size=200)
    | st.dictionaries(
        st.sampled_from(
            ["uuid", "call_uuid", "status", "detail", "data", "to", "from", "duration", "sub_state"]
        ),
        st.none() | st.integers() | st.text(max_size=9) | st.lists(st.none()),
    ).map(lambda document: json.dumps(document).encode())
    | st.dictionaries(
        st.sampled_from(
            "CallSid CallUUID CallStatus AnsweredBy StreamEvent Event Machine HangupCauseCode "
            "Duration CallDuration SipResponseCode Direction".split()
        ),
        st.text(max_size=9),
    ).map(lambda fields: urlencode(fields).encode()),
)
def test_no_webhook_raises(carrier: CarrierName, body: bytes) -> None:
    for event in _read(carrier, body):
        assert event.call_id
