"""Every query on public links."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.sharing.models import ShareLink


async def find(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, *, for_update: bool = False
) -> ShareLink | None:
    query = select(ShareLink).where(
        ShareLink.tenant_id == tenant_id, ShareLink.agent_id == agent_id
    )
    if for_update:
        query = query.with_for_update().execution_options(populate_existing=True)
    found: ShareLink | None = await session.scalar(query)
    return found


async def find_by_token(system_session: AsyncSession, token_hash: bytes) -> ShareLink | None:
    """Needs a session of the system's role, because the tenant is not known yet."""
    found: ShareLink | None = await system_session.scalar(
        select(ShareLink).where(ShareLink.token_hash == token_hash)
    )
    return found


async def add(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, now: datetime, **fields: Any
) -> bool:
    """``False`` if the agent has a link already, even one that was added at the same moment."""
    added = await session.scalar(
        insert(ShareLink)
        .values(id=uuid4(), tenant_id=tenant_id, agent_id=agent_id, created_at=now, **fields)
        .on_conflict_do_nothing(index_elements=["agent_id"])
        .returning(ShareLink.id)
    )
    return added is not None
