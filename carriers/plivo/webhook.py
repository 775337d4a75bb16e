"""What Plivo's webhooks report. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from carriers.call_events import (
    AnsweredBy,
    CallArrived,
    CallEvent,
    MachineDetected,
    StageReached,
    StreamFailed,
)
from carriers.json_message import number_of, read_form
from carriers.phone_number import e164
from carriers.plivo.statuses import STATUSES
from carriers.signed_request import CarrierRequest
from contracts.dialing import LegStage

_STREAM_EVENTS = frozenset({"StartStream", "StopStream", "PlayedStream", "ClearedAudio"})


def read_events(request: CarrierRequest) -> tuple[CallEvent, ...]:
    form = read_form(request.body)
    # ``dial`` knows a call by its request.
    call_id = form.get("RequestUUID") or form.get("CallUUID", "")
    if not call_id:
        return ()
    event = form.get("Event", "")
    if event in _STREAM_EVENTS:
        return ()
    if event == "DroppedStream":
        return (StreamFailed(call_id, "Plivo lost the connection of the stream"),)
    if event == "MachineDetection":
        is_machine = form.get("Machine", "").lower() == "true"
        return (MachineDetected(call_id, AnsweredBy.MACHINE if is_machine else AnsweredBy.HUMAN),)
    if form.get("Direction") == "inbound" and form.get("CallStatus") == "ringing":
        return (CallArrived(call_id, e164(form.get("From", "")), e164(form.get("To", ""))),)
    return _stage(call_id, form)


def _stage(call_id: str, form: Mapping[str, str]) -> tuple[CallEvent, ...]:
    status = form.get("CallStatus", "")
    meaning = STATUSES.get(status)
    if meaning is None or status.isdigit():
        return ()
    if meaning.stage is not LegStage.ENDED:
        return (StageReached(call_id, meaning.stage, status),)
    cause = form.get("HangupCauseCode", "")
    if status != "completed" and cause.isdigit():
        better = STATUSES.get(cause)
        meaning = better if better is not None and better.outcome is not None else meaning
    return (
        StageReached(
            call_id,
            LegStage.ENDED,
            status,
            meaning.outcome,
            form.get("HangupCauseName") or form.get("HangupCause") or None,
            number_of(form, "Duration"),
        ),
    )
