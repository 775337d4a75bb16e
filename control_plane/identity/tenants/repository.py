"""Every query on tenants. All but ``get`` need a system session."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform.tenancy.models import Tenant


async def get(session: AsyncSession, tenant_id: UUID) -> Tenant:
    """The caller's own tenant, which exists. A tenant's session is enough."""
    return await session.get_one(Tenant, tenant_id)


async def find(
    session: AsyncSession, tenant_id: UUID, *, for_update: bool = False
) -> Tenant | None:
    query = select(Tenant).where(Tenant.id == tenant_id)
    if for_update:
        query = query.with_for_update().execution_options(populate_existing=True)
    found: Tenant | None = await session.scalar(query)
    return found
