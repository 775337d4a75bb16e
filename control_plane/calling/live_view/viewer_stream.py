"""One viewer's stream: what has happened so far, then live events, then the end of the call.

The call's state always comes from the database, so a viewer never sees an end that the rest of the
API does not show yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from uuid import UUID

import structlog

from control_plane.calling.calls.queries import call_records
from control_plane.calling.live_view.catch_up import (
    CatchUp,
    from_the_start,
    is_gapless,
    read_record,
    resumed,
    seen_until,
)
from control_plane.calling.live_view.live_feed import LiveFeed, Watch
from control_plane.calling.live_view.repository import ViewedCall
from control_plane.calling.live_view.server_sent_events import (
    KEEP_ALIVE,
    RECONNECTION_TIME,
    ServerSentEvent,
)
from control_plane.calling.live_view.viewer_events import (
    call_state_event,
    final_sequences,
    live_event,
    segment_events,
)
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.link.live_streams import BEFORE_ALL, EntryId, LiveEntry

_PAGE = 200
_log = structlog.get_logger(__name__)


async def catch_up(
    feed: LiveFeed, database: Database, call: ViewedCall, last_event_id: str | None
) -> CatchUp:
    """What to send to a viewer first.

    Raises:
        DatabaseUnavailable: PostgreSQL is away.
    """
    seen = seen_until(last_event_id)
    kept = [] if call.status.is_over and seen is None else await feed.kept(call.id, BEFORE_ALL)
    if seen is not None and is_gapless(kept, seen):
        return resumed(call.status, kept, seen)
    async with database.tenant_session(call.tenant_id) as session:
        record = await read_record(session, call.tenant_id, call.id)
    return from_the_start(call.status, kept, record)


async def stream(
    feed: LiveFeed, database: Database, call: ViewedCall, begin: CatchUp, *, follow: bool = True
) -> AsyncGenerator[bytes, None]:
    """The encoded stream. It ends with the call, or when the viewer has to authenticate again;
    without ``follow`` it ends after ``begin``."""
    yield RECONNECTION_TIME
    for event in begin.events:
        yield event.encode()
    if not follow and not call.status.is_over:
        return
    status, sent, position = call.status, set(begin.sequences), begin.position
    loop = asyncio.get_running_loop()
    authenticate_again_at = loop.time() + feed.timing.longest_seconds
    with feed.watching(call.id, status, position) as watch:
        while not status.is_over and loop.time() < authenticate_again_at:
            entries = await _after(feed, call.id, watch, position)
            for entry in entries:
                position = entry.entry_id
                if (news := live_event(entry)) is not None:
                    yield news.encode()
            sent.update(final_sequences(entries))
            if entries:
                continue
            if watch.status != status:
                status = watch.status
                if not status.is_over:
                    yield call_state_event(status).encode()
            elif not await watch.changed(feed.timing.keep_alive_seconds):
                yield KEEP_ALIVE
    if status.is_over:
        for event in await _unsent(database, call.tenant_id, call.id, sent):
            yield event.encode()
        yield call_state_event(status).encode()


async def _after(feed: LiveFeed, call_id: UUID, watch: Watch, position: EntryId) -> list[LiveEntry]:
    """What came after ``position``. Redis has what the tail does not hold any more; what Redis has
    lost, too, is sent from the database at the end."""
    entries = watch.tail.after(position)
    if entries is not None:
        return entries
    kept = await feed.kept(call_id, position, _PAGE)
    return kept or watch.tail.after(watch.tail.since) or []


async def _unsent(
    database: Database, tenant_id: UUID, call_id: UUID, sent: set[int]
) -> list[ServerSentEvent]:
    """Segments that were never sent live, because Redis was away or lost them."""
    try:
        async with database.tenant_session(tenant_id) as session:
            segments = await call_records.segments(session, tenant_id, call_id)
    except DatabaseUnavailable:
        _log.warning("live_view_incomplete", call_id=str(call_id))
        return []
    return [
        event
        for segment, latencies in segments
        if segment.sequence not in sent and segment.sequence >= min(sent, default=0)
        for event in segment_events(segment, latencies)
    ]
