"""For routes that resolve stacks: what the caller's tenant can use now."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends

from control_plane.building.provider_keys.available_keys import available_keys
from control_plane.identity.authentication.dependencies import AnyCaller, TenantSession
from control_plane.platform.http.dependencies import AppSettings
from pipelines.stack import AvailableKeys


async def tenant_keys(
    caller: AnyCaller, session: TenantSession, settings: AppSettings
) -> AvailableKeys:
    return await available_keys(session, caller.tenant_id, settings)


TenantKeys = Annotated[AvailableKeys, Depends(tenant_keys, scope="function")]
