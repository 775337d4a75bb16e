"""The bytes of web pages in their tenant's quota: a page has none before it is fetched."""

from __future__ import annotations

from uuid import UUID

from control_plane.building.knowledge_sources import repository
from control_plane.platform.database import Database
from knowledge.parsing.problems import Unreadable


async def count_page(database: Database, tenant_id: UUID, source_id: UUID, size: int) -> None:
    """Let a page that was fetched take ``size`` bytes of the quota from now on. One that has become
    no larger may always be read.

    Raises:
        Unreadable: it would exceed the tenant's hard limit.
    """
    async with database.tenant_session(tenant_id) as session:
        page = await repository.find(session, tenant_id, source_id, for_update=True)
        if page is None:
            return
        limit = (await repository.limits(session, tenant_id)).bytes
        if limit is not None and size > page.bytes:
            used = await repository.used(session, tenant_id)
            if used.bytes - page.bytes + size > limit:
                raise Unreadable(
                    f"Your plan allows {limit:,} bytes, and this page has {size:,}; delete other "
                    "sources, then fetch it again."
                )
        page.bytes = size
