"""Reading entries of the event stream, and which events may be applied now. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from pydantic import ValidationError

from contracts.events import CallEvent, EventEnvelope
from contracts.versions import fault, read_json
from link.stream_entry import StreamEntry


@dataclass(frozen=True)
class ReceivedEvent:
    """``event`` is ``None`` if the body cannot be read; then ``fault`` tells why."""

    entry: StreamEntry
    envelope: EventEnvelope
    event: CallEvent | None
    fault: str | None = None


@dataclass(frozen=True)
class Unreadable:
    """Broken: every release can read which call an event belongs to."""

    entry: StreamEntry
    fault: str


def read_entry(entry: StreamEntry) -> ReceivedEvent | Unreadable:
    try:
        event = read_json(CallEvent, entry.document)
    except ValidationError as error:
        reason = f"not an event: {fault(error)}"
    else:
        # Not validated once more, which would take as long as reading the event.
        envelope = EventEnvelope.model_construct(
            call_id=event.call_id, tenant_id=event.tenant_id, seq=event.seq
        )
        return ReceivedEvent(entry, envelope, event)
    try:
        envelope = EventEnvelope.model_validate_json(entry.document)
    except ValidationError:
        return Unreadable(entry, reason)
    return ReceivedEvent(entry, envelope, None, reason)


class Verdict(StrEnum):
    APPLY = "apply"
    DUPLICATE = "duplicate"
    """It was applied before: acknowledge it."""
    GAP = "gap"
    """Earlier events are missing: keep it until the worker has sent them again."""


def verdict(applied_seq: int, seq: int) -> Verdict:
    """What to do with event ``seq`` of a call whose events up to ``applied_seq`` are applied."""
    if seq <= applied_seq:
        return Verdict.DUPLICATE
    return Verdict.APPLY if seq == applied_seq + 1 else Verdict.GAP
