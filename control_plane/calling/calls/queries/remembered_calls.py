"""Which tenants have calls, for the balance, which dashboards ask for all the time."""

from __future__ import annotations

from uuid import UUID

from cachetools import LRUCache
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.queries import call_records

MOST_TENANTS = 10_000


class RememberedCalls:
    """A ``CallDirectory``. Records of calls are never deleted, so PostgreSQL is not asked again
    about a tenant who has one."""

    def __init__(self) -> None:
        self._tenants: LRUCache[UUID, bool] = LRUCache(MOST_TENANTS)

    async def has_calls(self, session: AsyncSession, tenant_id: UUID) -> bool:
        if tenant_id not in self._tenants and not await call_records.has_calls(session, tenant_id):
            return False
        self._tenants[tenant_id] = True
        return True
