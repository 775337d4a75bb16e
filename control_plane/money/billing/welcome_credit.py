"""The credit of a new tenant."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.tenants.opening import TenantOpened
from control_plane.money.billing.service import grant


def welcome_credit(micros: int) -> TenantOpened:
    """A hook that opens the new tenant's account and posts ``micros`` micro-dollars to it, or
    nothing without a welcome."""

    async def post(session: AsyncSession, tenant_id: UUID, *, is_welcome: bool) -> None:
        amount = micros if is_welcome else 0
        await grant(session, tenant_id, amount, "Welcome credit", reference="welcome")

    return post
