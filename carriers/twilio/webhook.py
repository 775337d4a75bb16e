"""What Twilio's webhooks report. Pure."""

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
from carriers.signed_request import CarrierRequest
from carriers.twilio.statuses import ANSWERED_BY, STATUSES
from contracts.dialing import LegStage


def read_events(request: CarrierRequest) -> tuple[CallEvent, ...]:
    form = read_form(request.body)
    call_id = form.get("CallSid", "")
    if not call_id:
        return ()
    if "StreamEvent" in form:
        if form["StreamEvent"] != "stream-error":
            return ()
        return (StreamFailed(call_id, form.get("StreamError", "the stream failed")),)
    # Of a call that Twilio has listened to, each later status names it again.
    if "AnsweredBy" in form and "CallStatus" not in form:
        answered_by = ANSWERED_BY.get(form["AnsweredBy"], AnsweredBy.UNKNOWN)
        return (MachineDetected(call_id, answered_by),)
    # Status callbacks of inbound calls come with their source. What has none asks for an answer.
    asks = form.get("Direction") == "inbound" and "CallbackSource" not in form
    if asks and form.get("CallStatus") == "ringing":
        return (CallArrived(call_id, e164(form.get("From", "")), e164(form.get("To", ""))),)
    return _stage(call_id, form)


def _stage(call_id: str, form: Mapping[str, str]) -> tuple[CallEvent, ...]:
    status = form.get("CallStatus", "")
    sip_code = form.get("SipResponseCode", "")
    meaning = STATUSES.get(f"{status}:{sip_code}") or STATUSES.get(status)
    if meaning is None:
        return ()
    is_over = meaning.stage is LegStage.ENDED
    said = [form.get("ErrorMessage"), f"SIP {sip_code}" if sip_code else None]
    return (
        StageReached(
            call_id,
            meaning.stage,
            status,
            meaning.outcome,
            ", ".join(text for text in said if text) or None if is_over else None,
            number_of(form, "CallDuration") if is_over else None,
        ),
    )
