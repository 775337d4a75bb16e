"""Reading an entry of the dispatch stream. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from pydantic import ValidationError

from contracts.call_offer import CallOffer
from contracts.call_plan import CallPlan
from contracts.versions import call_id_in, fault, read_json
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
        call_id = call_id_in(entry.header) or call_id_in(entry.document)
        return UnreadableOffer(call_id, f"{error.title}: {fault(error)}")
    added_at = datetime.fromtimestamp(entry.added_at_ms / 1000, UTC)
    return OfferedCall(CallOffer.made(plan.call_id, plan.tenant_id, added_at), plan)
