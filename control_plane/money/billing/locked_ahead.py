"""Reserves and accounts that a transaction locked ahead, for many calls with one statement each.

``repository`` finds them here, so that the ledger's rules are the same for one call and for many,
and cost no statement per call.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import ARRAY, Uuid, any_, literal, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing.models import BillingAccount, CallReserve

_INFO = "billing.locked_ahead"


@dataclass(frozen=True)
class LockedAhead:
    calls: frozenset[UUID]
    reserves: dict[UUID, CallReserve]
    """By call; those that were open when they were locked."""
    accounts: dict[UUID, BillingAccount]
    """By tenant."""


NOTHING = LockedAhead(frozenset(), {}, {})


async def lock_ahead(
    session: AsyncSession, tenant_ids: Collection[UUID], call_ids: Collection[UUID]
) -> None:
    """Lock the calls' open reserves and the tenants' accounts, in the order in which every
    transaction does. The calls' rows are locked already.

    Once per transaction, and for one that creates no calls: a new call's first increment is held by
    a statement of its own.
    """
    reserves = await session.scalars(
        select(CallReserve)
        .where(
            CallReserve.call_id == any_(literal(list(call_ids), ARRAY(Uuid))),
            CallReserve.state == "open",
        )
        .order_by(CallReserve.tenant_id, CallReserve.call_id)
        .with_for_update()
    )
    accounts = await session.scalars(
        select(BillingAccount)
        .where(BillingAccount.tenant_id == any_(literal(list(tenant_ids), ARRAY(Uuid))))
        .order_by(BillingAccount.tenant_id)
        .with_for_update()
    )
    session.info[_INFO] = LockedAhead(
        frozenset(call_ids),
        {reserve.call_id: reserve for reserve in reserves},
        {account.tenant_id: account for account in accounts},
    )


def locked_ahead(session: AsyncSession) -> LockedAhead:
    found: LockedAhead = session.info.get(_INFO, NOTHING)
    return found
