"""One reader's stream of notifications: how many are unread, then each that is new."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import dataclass

import structlog

from control_plane.calling.live_view.server_sent_events import (
    KEEP_ALIVE,
    RECONNECTION_TIME,
    ServerSentEvent,
)
from control_plane.notifying.notifications import repository
from control_plane.notifying.notifications.feeds import feed_of
from control_plane.notifying.notifications.schemas import NotificationView, UnreadCount
from control_plane.notifying.notifications.streaming.news import News
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.tenancy.caller import Caller

_AT_ONCE = 100
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class StreamTiming:
    keep_alive_seconds: float = 15.0
    longest_seconds: float = 900.0
    """After this time a reader must reconnect with a credential that is still valid."""


def position_of(last_event_id: str | None) -> int | None:
    """Where a reader left off; ``None``: it is new, or sends what we never gave it."""
    is_ours = last_event_id is not None and last_event_id.isascii() and last_event_id.isdigit()
    return int(last_event_id or 0) if is_ours and len(last_event_id or "") < 19 else None


async def stream(
    news: News,
    database: Database,
    caller: Caller,
    after: int | None,
    *,
    follow: bool = True,
    timing: StreamTiming | None = None,
) -> AsyncGenerator[bytes, None]:
    """The encoded stream. It ends when the reader has to authenticate again, or when PostgreSQL
    cannot be reached: the reader then reconnects.

    Args:
        after: the position of the last notification that the reader has seen.
        follow: otherwise it ends after what there is now.
    """
    timing = timing or StreamTiming()
    loop = asyncio.get_running_loop()
    ends_at = loop.time() + timing.longest_seconds
    yield RECONNECTION_TIME
    # Before the position is read, so that nothing falls between the two.
    with news.of_tenant(caller.tenant_id) as changed:
        try:
            position = await _newest(database, caller) if after is None else after
            # With an id from the beginning: a reader who reconnects before the first notification
            # must not miss what has come meanwhile.
            yield await _unread(database, caller, position)
            while loop.time() < ends_at:
                changed.clear()
                found = await _added(database, caller, position)
                for position, view in found:
                    yield ServerSentEvent("notification", view, str(position)).encode()
                if found:
                    yield await _unread(database, caller, position)
                elif not follow:
                    return
                elif not await _is_set(changed, timing.keep_alive_seconds):
                    yield KEEP_ALIVE
        except DatabaseUnavailable:
            _log.warning("notification_stream_ended", tenant_id=str(caller.tenant_id))


async def _newest(database: Database, caller: Caller) -> int:
    async with database.tenant_session(caller.tenant_id) as session:
        return await repository.newest_position(session, caller.tenant_id)


async def _unread(database: Database, caller: Caller, position: int) -> bytes:
    async with database.tenant_session(caller.tenant_id) as session:
        count = await repository.unread(session, await feed_of(session, caller))
    return ServerSentEvent("unread", UnreadCount(count=count), str(position)).encode()


async def _added(
    database: Database, caller: Caller, position: int
) -> list[tuple[int, NotificationView]]:
    async with database.tenant_session(caller.tenant_id) as session:
        feed = await feed_of(session, caller)
        found = await repository.added_after(session, feed, position, _AT_ONCE)
    return [(each.position, NotificationView.of(each, is_read=is_read)) for each, is_read in found]


async def _is_set(event: asyncio.Event, longest_seconds: float) -> bool:
    try:
        async with asyncio.timeout(longest_seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
