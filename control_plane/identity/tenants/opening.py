"""The hook through which higher floors act when a tenant is opened, in the same transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

TenantOpened = Callable[[AsyncSession, UUID], Awaitable[None]]
"""Takes a system session and the new tenant's id."""


async def on_tenant_opened(request: Request) -> TenantOpened:
    opened: TenantOpened = request.app.state.on_tenant_opened
    return opened


OnTenantOpened = Annotated[TenantOpened, Depends(on_tenant_opened)]
