"""The hook through which higher floors act when a tenant is opened, in the same transaction."""

from __future__ import annotations

from typing import Annotated, Protocol
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession


class TenantOpened(Protocol):
    async def __call__(self, session: AsyncSession, tenant_id: UUID, *, is_welcome: bool) -> None:
        """
        Args:
            session: a system session.
            is_welcome: whether the tenant gets the welcome credit. If not, it may get that later,
                by a second call.
        """
        ...


async def on_tenant_opened(request: Request) -> TenantOpened:
    opened: TenantOpened = request.app.state.on_tenant_opened
    return opened


OnTenantOpened = Annotated[TenantOpened, Depends(on_tenant_opened)]
