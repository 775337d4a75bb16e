"""What a viewer is told first: what it has missed, or, if it is new, all that is still true.

The words come from the call's live stream in Redis and, where that does not hold them any more,
from the record. Of a call that is over a new viewer is told the record alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.live_replay import positions_to_replay
from control_plane.calling.calls import repository
from control_plane.calling.calls.models import CallParticipant
from control_plane.calling.calls.queries import call_records
from control_plane.calling.calls.views import Said
from control_plane.calling.live_view.repository import Standing
from control_plane.calling.live_view.server_sent_events import ServerSentEvent
from control_plane.calling.live_view.viewer_events import (
    sequences,
    told_live,
    told_present,
    told_segment,
    told_standing,
)
from control_plane.platform.link.live_streams import BEFORE_ALL, EntryId, LiveEntry


@dataclass(frozen=True)
class SoFar:
    """
    Args:
        position: how far in the live stream ``events`` go.
        told: places in the transcript that the viewer knows with them.
    """

    events: tuple[ServerSentEvent, ...]
    position: EntryId
    told: frozenset[int] = field(default=frozenset())


@dataclass(frozen=True)
class Record:
    """What the database holds that viewers are told."""

    present: Sequence[CallParticipant]
    said: Said


async def read_record(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> Record:
    return Record(
        await repository.participants(session, tenant_id, [call_id]),
        await call_records.segments(session, tenant_id, call_id),
    )


def seen_until(last_event_id: str | None) -> EntryId | None:
    """The entry that a viewer who comes back has seen last; ``None`` for a new viewer, and for an
    id that is not one of ours."""
    try:
        return None if last_event_id is None else EntryId.read(last_event_id)
    except ValueError:
        return None


def is_gapless(kept: Sequence[LiveEntry], seen: EntryId | None) -> bool:
    """Whether ``kept`` holds all that came after ``seen``."""
    return seen is not None and bool(kept) and kept[0].entry_id <= seen


def resumed(standing: Standing, kept: Sequence[LiveEntry], seen: EntryId) -> SoFar:
    """For a viewer who comes back: what came after ``seen``."""
    missed = [entry for entry in kept if entry.entry_id > seen]
    return SoFar(
        (*_where_it_stands(standing), *_live(missed)), kept[-1].entry_id, frozenset(sequences(kept))
    )


def from_the_start(standing: Standing, kept: Sequence[LiveEntry], record: Record) -> SoFar:
    """For a new viewer: the record, up to where ``kept`` goes on."""
    first = min(sequences(kept), default=None)
    before = [each for each in record.said if first is None or each[0].sequence < first]
    events = [*_where_it_stands(standing), *told_present(record.present)]
    for segment, latencies in before:
        events += told_segment(segment, latencies)
    known = [entry for entry in kept if entry.body is not None]
    needed = positions_to_replay([entry.body for entry in known if entry.body is not None])
    events += _live([known[position] for position in needed])
    return SoFar(
        tuple(events),
        kept[-1].entry_id if kept else BEFORE_ALL,
        frozenset(sequences(kept)).union(segment.sequence for segment, _ in before),
    )


def _where_it_stands(standing: Standing) -> Iterator[ServerSentEvent]:
    """Of a call that is over that is told last."""
    if not standing.is_over:
        yield told_standing(standing)


def _live(entries: Sequence[LiveEntry]) -> Iterator[ServerSentEvent]:
    return (event for entry in entries if (event := told_live(entry)) is not None)
