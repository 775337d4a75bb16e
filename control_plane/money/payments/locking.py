"""The order of locks: a tenant's account, then its payments and methods, then the invoice counter.

Posting to the ledger locks the account, and a payment that is settled posts to it. So whoever
changes payments, methods or recharge settings locks the account before them. Otherwise two
transactions could wait for each other for ever.
"""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing import repository
from control_plane.money.billing.locked_ahead import LockedAccount


async def lock_account(session: AsyncSession, tenant_id: UUID) -> LockedAccount:
    """The tenant's account, opened if there is none, until the end of the transaction."""
    await repository.open_account(session, tenant_id)
    return await repository.locked_account(session, tenant_id)
