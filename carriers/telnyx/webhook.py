"""What Telnyx's webhooks report. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
from carriers.json_message import member, number_of, read_object, text_of
from carriers.phone_number import e164
from carriers.signed_request import CarrierRequest
from carriers.telnyx.statuses import DETECTED, HANGUP, STATUSES
from contracts.dialing import LegStage


def read_events(request: CarrierRequest) -> tuple[CallEvent, ...]:
    data = member(read_object(request.body) or {}, "data")
    payload = member(data, "payload")
    event, call_id = text_of(data, "event_type"), text_of(payload, "call_control_id")
    if event is None or call_id is None:
        return ()
    match event:
        case "call.initiated" if payload.get("direction") == "incoming":
            numbers = (e164(text_of(payload, end) or "") for end in ("from", "to"))
            return (CallArrived(call_id, *numbers),)
        case "call.machine.detection.ended" | "call.machine.premium.detection.ended":
            result = DETECTED.get(text_of(payload, "result") or "", AnsweredBy.UNKNOWN)
            return (MachineDetected(call_id, result),)
        case "call.machine.greeting.ended" | "call.machine.premium.greeting.ended":
            return (MachineDetected(call_id, AnsweredBy.MACHINE_READY),)
        case "call.dtmf.received":
            digit = text_of(payload, "digit")
            return (DigitPressed(call_id, digit),) if digit else ()
        case "call.playback.ended":
            return (PlaybackEnded(call_id),)
        case "streaming.failed":
            detail = text_of(payload, "failure_reason") or "the stream failed"
            return (StreamFailed(call_id, detail),)
    return _stage(event, call_id, payload)


def _stage(event: str, call_id: str, payload: Mapping[str, Any]) -> tuple[CallEvent, ...]:
    if event != HANGUP:
        meaning = STATUSES.get(event)
        return (StageReached(call_id, meaning.stage, event),) if meaning is not None else ()
    cause = (text_of(payload, "hangup_cause") or "unspecified").lower()
    meaning = STATUSES.get(f"{HANGUP}:{cause}", STATUSES[HANGUP])
    sip_code = text_of(payload, "sip_hangup_cause")
    return (
        StageReached(
            call_id,
            LegStage.ENDED,
            cause,
            meaning.outcome,
            f"SIP {sip_code}" if sip_code else None,
            number_of(payload, "call_duration_secs"),
        ),
    )
