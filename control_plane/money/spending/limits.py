"""Limits on requests that spend money outside of calls: they ask language models and fetch pages.

They are counted for each tenant, whatever key or person sends them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.spending import repository
from control_plane.money.spending.errors import SpendingLimited
from control_plane.platform.settings import SpendingSettings

AT_ONCE_RETRY_SECONDS = 5


class Spending(StrEnum):
    """What a request spends on. Each kind has a meter of its own."""

    AGENT_BUILDER = "agent_builder"
    CHAT = "chat"
    REPROCESS = "reprocess"


async def meter(
    session: AsyncSession, tenant_id: UUID, kind: Spending, settings: SpendingSettings
) -> None:
    """Count a request, in ``session``'s transaction. Days are those of UTC.

    Raises:
        SpendingLimited: the tenant has made too many in this minute or today.
    """
    per_minute, per_day = settings.limits_of(kind.value)
    if await repository.count(session, tenant_id, kind, per_minute=per_minute, per_day=per_day):
        return
    now = datetime.now(UTC)
    today, seconds_left = await repository.used(session, tenant_id, kind)
    if per_day and today >= per_day:
        midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
        wait = max(1, int((midnight - now).total_seconds()))
        detail = f"At most {per_day} such requests a day for each tenant"
        raise SpendingLimited(detail, "day", per_day, retry_after_seconds=wait)
    detail = f"At most {per_minute} such requests a minute for each tenant"
    raise SpendingLimited(detail, "minute", per_minute, retry_after_seconds=max(1, seconds_left))


class RequestsAtOnce:
    """How many requests of each tenant this process is carrying out."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._running = Counter[UUID]()

    @contextmanager
    def one_more(self, tenant_id: UUID) -> Iterator[None]:
        """
        Raises:
            SpendingLimited: the tenant has too many requests under way.
        """
        if self._most and self._running[tenant_id] >= self._most:
            raise too_many_at_once(
                f"At most {self._most} such requests at once for each tenant", self._most
            )
        self._running[tenant_id] += 1
        try:
            yield
        finally:
            self._running[tenant_id] -= 1
            if not self._running[tenant_id]:
                del self._running[tenant_id]


def too_many_at_once(detail: str, most: int) -> SpendingLimited:
    return SpendingLimited(detail, "at_once", most, retry_after_seconds=AT_ONCE_RETRY_SECONDS)
