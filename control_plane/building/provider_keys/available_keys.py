"""Which providers a tenant can use now: with the platform's keys, and with its own."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.provider_keys.models import ProviderKey
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.models import Plan, Tenant
from pipelines.stack import AvailableKeys


async def available_keys(
    session: AsyncSession, tenant_id: UUID, settings: ControlPlaneSettings
) -> AvailableKeys:
    """What stack resolution needs to know about the tenant. Own keys count only while its plan
    allows them."""
    own = (
        select(func.coalesce(func.array_agg(ProviderKey.provider), []))
        .where(ProviderKey.tenant_id == tenant_id, Plan.byok_allowed)
        .scalar_subquery()
    )
    row = (
        await session.execute(
            select(Tenant.tier, own)
            .join(Plan, Plan.id == Tenant.plan_id)
            .where(Tenant.id == tenant_id)
        )
    ).one()
    return AvailableKeys(
        platform=settings.available_providers, own=frozenset(row[1] or ()), tier=row[0]
    )
