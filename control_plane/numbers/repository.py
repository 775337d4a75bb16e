"""Every query on numbers."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.numbers.models import Number


async def numbers_of(session: AsyncSession, tenant_id: UUID) -> Sequence[Number]:
    """The tenant's numbers, the oldest first."""
    found = await session.scalars(
        select(Number).where(Number.tenant_id == tenant_id).order_by(Number.created_at, Number.id)
    )
    return found.all()
