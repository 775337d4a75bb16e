"""One viewer's stream: what was said so far, then what is said, then how the call ended.

Where the call stands always comes from the record, so a viewer never hears of an end that the rest
of the API does not know of yet.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from uuid import UUID

import structlog

from control_plane.calling.calls.models import Call
from control_plane.calling.calls.queries import call_records
from control_plane.calling.live_view.catch_up import (
    SoFar,
    from_the_start,
    is_gapless,
    read_record,
    resumed,
    seen_until,
)
from control_plane.calling.live_view.live_feed import LiveFeed, Watch
from control_plane.calling.live_view.repository import Standing
from control_plane.calling.live_view.server_sent_events import (
    KEEP_ALIVE,
    RECONNECTION_TIME,
    ServerSentEvent,
)
from control_plane.calling.live_view.viewer_events import (
    sequences,
    told_live,
    told_segment,
    told_standing,
)
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.link.live_streams import BEFORE_ALL, EntryId, LiveEntry

_PAGE = 200
_log = structlog.get_logger(__name__)


async def so_far(
    feed: LiveFeed, database: Database, call: Call, last_event_id: str | None
) -> SoFar:
    """What to tell a viewer first.

    Raises:
        DatabaseUnavailable: PostgreSQL is away.
    """
    seen = seen_until(last_event_id)
    standing = Standing.of(call)
    kept = [] if call.is_over and seen is None else await feed.kept(call.id, BEFORE_ALL)
    if seen is not None and is_gapless(kept, seen):
        return resumed(standing, kept, seen)
    async with database.tenant_session(call.tenant_id) as session:
        record = await read_record(session, call.tenant_id, call.id)
    return from_the_start(standing, kept, record)


async def stream(
    feed: LiveFeed, database: Database, call: Call, begin: SoFar, *, follow: bool = True
) -> AsyncGenerator[bytes, None]:
    """The stream on the wire. Ends with the call, or when the viewer has to show its key again;
    without ``follow`` after ``begin``."""
    yield RECONNECTION_TIME
    for event in begin.events:
        yield event.encode()
    if not follow and not call.is_over:
        return
    standing, told, position = Standing.of(call), set(begin.told), begin.position
    loop = asyncio.get_running_loop()
    come_again_at = loop.time() + feed.timing.longest_seconds
    with feed.watching(call.id, standing, position) as watch:
        while not standing.is_over and loop.time() < come_again_at:
            entries = await _after(feed, call.id, watch, position)
            for entry in entries:
                position = entry.entry_id
                if (news := told_live(entry)) is not None:
                    yield news.encode()
            told.update(sequences(entries))
            if entries:
                continue
            if watch.standing != standing:
                standing = watch.standing
                if not standing.is_over:
                    yield told_standing(standing).encode()
            elif not await watch.changed(feed.timing.keep_alive_seconds):
                yield KEEP_ALIVE
    if standing.is_over:
        for event in await _untold(database, call.tenant_id, call.id, told):
            yield event.encode()
        yield told_standing(standing).encode()


async def _after(feed: LiveFeed, call_id: UUID, watch: Watch, position: EntryId) -> list[LiveEntry]:
    """What came after ``position``. Of what the tail has moved on from, Redis is asked; what that
    has lost as well is told from the record in the end."""
    entries = watch.tail.after(position)
    if entries is not None:
        return entries
    kept = await feed.kept(call_id, position, _PAGE)
    return kept or watch.tail.after(watch.tail.since) or []


async def _untold(
    database: Database, tenant_id: UUID, call_id: UUID, told: set[int]
) -> list[ServerSentEvent]:
    """Words on the record that never came live, because Redis was away or lost them."""
    try:
        async with database.tenant_session(tenant_id) as session:
            said = await call_records.segments(session, tenant_id, call_id)
    except DatabaseUnavailable:
        _log.warning("live_view_incomplete", call_id=str(call_id))
        return []
    return [
        event
        for segment, latencies in said
        if segment.sequence not in told and segment.sequence >= min(told, default=0)
        for event in told_segment(segment, latencies)
    ]
