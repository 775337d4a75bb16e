"""What a viewer gets first: what it has missed or, if it is new, everything so far.

The transcript comes from the call's live stream in Redis, and its older part, which the stream does
not hold any more, from the database. For a call that is over, everything comes from the database.
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
from control_plane.calling.calls.views import Segments
from control_plane.calling.live_view.repository import RecordedStatus
from control_plane.calling.live_view.server_sent_events import ServerSentEvent
from control_plane.calling.live_view.viewer_events import (
    call_state_event,
    final_sequences,
    live_event,
    presence_events,
    segment_events,
)
from control_plane.platform.link.live_streams import BEFORE_ALL, EntryId, LiveEntry


@dataclass(frozen=True)
class CatchUp:
    events: tuple[ServerSentEvent, ...]
    position: EntryId
    """Up to which entry of the live stream ``events`` goes."""
    sequences: frozenset[int] = field(default=frozenset())
    """The segments of the transcript that are in ``events``."""


@dataclass(frozen=True)
class Record:
    """The part of the database that viewers get."""

    participants: Sequence[CallParticipant]
    segments: Segments


async def read_record(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> Record:
    return Record(
        await repository.participants(session, tenant_id, [call_id]),
        await call_records.segments(session, tenant_id, call_id),
    )


def seen_until(last_event_id: str | None) -> EntryId | None:
    """The last entry that a returning viewer has seen.

    ``None`` for a new viewer, and for an id that this API did not send.
    """
    try:
        return None if last_event_id is None else EntryId.read(last_event_id)
    except ValueError:
        return None


def is_gapless(kept: Sequence[LiveEntry], seen: EntryId | None) -> bool:
    """Whether ``kept`` holds everything that came after ``seen``."""
    return seen is not None and bool(kept) and kept[0].entry_id <= seen


def resumed(status: RecordedStatus, kept: Sequence[LiveEntry], seen: EntryId) -> CatchUp:
    """For a returning viewer: everything after ``seen``."""
    missed = [entry for entry in kept if entry.entry_id > seen]
    return CatchUp(
        (*_running_state(status), *_live(missed)),
        kept[-1].entry_id,
        frozenset(final_sequences(kept)),
    )


def from_the_start(status: RecordedStatus, kept: Sequence[LiveEntry], record: Record) -> CatchUp:
    """For a new viewer: the database's transcript up to the start of ``kept``, then ``kept``."""
    first = min(final_sequences(kept), default=None)
    before = [each for each in record.segments if first is None or each[0].sequence < first]
    events = [*_running_state(status), *presence_events(record.participants)]
    for segment, latencies in before:
        events += segment_events(segment, latencies)
    known = [entry for entry in kept if entry.body is not None]
    needed = positions_to_replay([entry.body for entry in known if entry.body is not None])
    events += _live([known[position] for position in needed])
    return CatchUp(
        tuple(events),
        kept[-1].entry_id if kept else BEFORE_ALL,
        frozenset(final_sequences(kept)).union(segment.sequence for segment, _ in before),
    )


def _running_state(status: RecordedStatus) -> Iterator[ServerSentEvent]:
    """The state of a call that is over comes last instead."""
    if not status.is_over:
        yield call_state_event(status)


def _live(entries: Sequence[LiveEntry]) -> Iterator[ServerSentEvent]:
    return (event for entry in entries if (event := live_event(entry)) is not None)
