"""Tells the streams of this process that their tenants have new notifications.

However many streams there are, one query a second asks for all of them. Nothing runs while there is
none.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

import structlog

from control_plane.notifying.notifications import repository
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable

ASK_SECONDS = 1.0
_log = structlog.get_logger(__name__)


class News:
    def __init__(self, database: Database, ask_seconds: float = ASK_SECONDS) -> None:
        self._database = database
        self._ask_seconds = ask_seconds
        self._waiting: defaultdict[UUID, set[asyncio.Event]] = defaultdict(set)
        self._asking: asyncio.Task[None] | None = None

    @contextmanager
    def of_tenant(self, tenant_id: UUID) -> Iterator[asyncio.Event]:
        """An event that is set whenever the tenant has new notifications."""
        changed = asyncio.Event()
        self._waiting[tenant_id].add(changed)
        if self._asking is None or self._asking.done():
            self._asking = asyncio.create_task(self._ask(), name="notification-news")
        try:
            yield changed
        finally:
            self._waiting[tenant_id].discard(changed)
            if not self._waiting[tenant_id]:
                del self._waiting[tenant_id]

    async def aclose(self) -> None:
        if self._asking is not None:
            self._asking.cancel()
            await asyncio.wait({self._asking})

    async def _ask(self) -> None:
        """Until nobody waits. The first answer wakes every tenant that has any notification: what
        was added before it is then looked at once more."""
        seen = 0
        while self._waiting:
            try:
                async with self._database.system_statements() as session:
                    newest = await repository.newest_positions(session, list(self._waiting), seen)
            except DatabaseUnavailable:
                _log.warning("notification_news_wait_for_database")
                newest = {}
            except Exception:  # noqa: BLE001 - open streams would hear of nothing any more
                _log.exception("notification_news_failed")
                newest = {}
            seen = max(newest.values(), default=seen)
            for tenant_id in newest:
                for changed in self._waiting.get(tenant_id, ()):
                    changed.set()
            await asyncio.sleep(self._ask_seconds)
