"""Which providers the caller's tenant can use now: with the platform's keys, and with its own."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.provider_keys import repository
from control_plane.identity.authentication.dependencies import AnyCaller, TenantSession
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.settings import ControlPlaneSettings
from pipelines.stack import AvailableKeys


async def available_keys(
    session: AsyncSession, tenant_id: UUID, settings: ControlPlaneSettings
) -> AvailableKeys:
    """What stack resolution needs to know about the tenant. Its own keys count only while its plan
    allows them."""
    tier, own, own_models = await repository.tier_and_own_providers(session, tenant_id)
    return AvailableKeys(
        platform=settings.available_providers, own=own, tier=tier, own_models=own_models
    )


async def tenant_keys(
    caller: AnyCaller, session: TenantSession, settings: AppSettings
) -> AvailableKeys:
    return await available_keys(session, caller.tenant_id, settings)


TenantKeys = Annotated[AvailableKeys, Depends(tenant_keys, scope="function")]
