"""Reading an entry of the dispatch stream. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from pydantic import BaseModel, ConfigDict, ValidationError

from contracts.call_offer import CallOffer
from contracts.call_plan import CallPlan
from contracts.versions import fault, read_json
from link.stream_entry import StreamEntry


@dataclass(frozen=True)
class OfferedCall:
    offer: CallOffer
    plan: CallPlan


@dataclass(frozen=True)
class UnreadableOffer:
    """A worker of another release may be able to read it."""

    call_id: UUID | None
    """``None`` if not even that can be read."""
    fault: str


def read_offer(entry: StreamEntry) -> OfferedCall | UnreadableOffer:
    """Release 0.1 sends no header: its offers count as made when the entry was added."""
    try:
        plan = read_json(CallPlan, entry.document)
        if entry.header:
            return OfferedCall(read_json(CallOffer, entry.header), plan)
    except ValidationError as error:
        return UnreadableOffer(_call_id(entry), f"{error.title}: {fault(error)}")
    added_at = datetime.fromtimestamp(entry.added_at_ms / 1000, UTC)
    return OfferedCall(CallOffer.made(plan.call_id, plan.tenant_id, added_at), plan)


class _NamesCall(BaseModel):
    model_config = ConfigDict(extra="ignore")
    call_id: UUID


def _call_id(entry: StreamEntry) -> UUID | None:
    for document in (entry.header, entry.document):
        try:
            return _NamesCall.model_validate_json(document).call_id
        except ValidationError:
            continue
    return None
