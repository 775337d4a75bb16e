"""Reading entries of the event stream, and which events may be applied now. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from contracts.events import CallEvent
from link.stream_entry import StreamEntry


class Envelope(BaseModel):
    """Which call an event belongs to, and its number there; readable even if the body is not."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    call_id: UUID
    tenant_id: UUID
    seq: Annotated[int, Field(ge=1, le=2**63 - 1)]

    @property
    def key(self) -> tuple[UUID, UUID]:
        """Tenant and call."""
        return self.tenant_id, self.call_id


@dataclass(frozen=True)
class ReceivedEvent:
    """``event`` is ``None`` if the body cannot be read; then ``fault`` tells why."""

    entry: StreamEntry
    envelope: Envelope
    event: CallEvent | None
    fault: str | None = None


@dataclass(frozen=True)
class Unreadable:
    entry: StreamEntry
    fault: str


def read_entry(entry: StreamEntry) -> ReceivedEvent | Unreadable:
    try:
        event = CallEvent.model_validate_json(entry.document)
    except ValidationError as error:
        fault = f"not an event: {_summary(error)}"
    else:
        envelope = Envelope(call_id=event.call_id, tenant_id=event.tenant_id, seq=event.seq)
        return ReceivedEvent(entry, envelope, event)
    try:
        return ReceivedEvent(entry, Envelope.model_validate_json(entry.document), None, fault)
    except ValidationError:
        return Unreadable(entry, fault)


def _summary(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_input=False)[0]
    return f"{'.'.join(str(part) for part in first['loc'])} {first['msg']}".strip()


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
