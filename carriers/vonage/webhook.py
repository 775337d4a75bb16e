"""What Vonage's webhooks report. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from carriers.call_events import (
    AnsweredBy,
    CallArrived,
    CallEvent,
    MachineDetected,
    StageReached,
    StreamFailed,
)
from carriers.json_message import member, number_of, read_object, text_of
from carriers.phone_number import e164
from carriers.signed_request import CarrierRequest
from carriers.vonage.statuses import STATUSES
from contracts.dialing import LegStage

_DIALED = {"direction": "outbound"}
_BEEPED = frozenset({"beep_start", "beep_timeout"})


def for_dialed_call(voice_url: str) -> str:
    """Vonage asks for an answer in the same words for calls in both directions, so the address has
    to tell them apart."""
    return f"{voice_url}{'&' if urlsplit(voice_url).query else '?'}{urlencode(_DIALED)}"


def read_events(request: CarrierRequest) -> tuple[CallEvent, ...]:
    document = read_object(request.body) or {}
    # The events about machines name the call differently.
    call_id = text_of(document, "uuid") or text_of(document, "call_uuid")
    if call_id is None:
        return ()
    status = text_of(document, "status")
    match status:
        case None:
            return _asks_for_an_answer(call_id, document, request.url)
        case "human":
            return (MachineDetected(call_id, AnsweredBy.HUMAN),)
        case "machine":
            beeped = text_of(document, "sub_state") in _BEEPED
            answered_by = AnsweredBy.MACHINE_READY if beeped else AnsweredBy.MACHINE
            return (MachineDetected(call_id, answered_by),)
        case "disconnected":
            return (StreamFailed(call_id, "Vonage lost the connection of the stream"),)
    return _stage(call_id, status, document)


def _asks_for_an_answer(
    call_id: str, document: Mapping[str, Any], url: str
) -> tuple[CallEvent, ...]:
    to_number, from_number = text_of(document, "to"), text_of(document, "from")
    if to_number is None:
        return ()
    if parse_qs(urlsplit(url).query).get("direction") == [_DIALED["direction"]]:
        return (StageReached(call_id, LegStage.ANSWERED, "answered"),)
    return (CallArrived(call_id, e164(from_number or ""), e164(to_number)),)


def _stage(call_id: str, status: str, document: Mapping[str, Any]) -> tuple[CallEvent, ...]:
    # The detail is a word or an object with a word, by the release of Vonage.
    detail = text_of(document, "detail") or text_of(member(document, "detail"), "type")
    meaning = STATUSES.get(f"{status}:{detail}") or STATUSES.get(status)
    if meaning is None or ":" in status:
        return ()
    is_over = meaning.stage is LegStage.ENDED
    return (
        StageReached(
            call_id,
            meaning.stage,
            status,
            meaning.outcome,
            detail if is_over else None,
            number_of(document, "duration") if is_over else None,
        ),
    )
