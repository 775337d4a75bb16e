"""Every query of billing. All take the tenant; none commits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Insert, bindparam, func, or_, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.dml import ReturningUpdate

from control_plane.money.billing.locked_ahead import locked_ahead
from control_plane.money.billing.models import BillingAccount, CallReserve, LedgerEntry
from control_plane.platform.database import table_of

_ACCOUNT, _AMOUNT = "hold_account", "hold_micros"
"""Names of what ``hold`` binds."""


async def account(session: AsyncSession, tenant_id: UUID) -> BillingAccount | None:
    return await session.scalar(select(BillingAccount).where(BillingAccount.tenant_id == tenant_id))


async def locked_account(session: AsyncSession, tenant_id: UUID) -> BillingAccount:
    """The account, held against every other transaction until this one ends. It must exist."""
    if (ahead := locked_ahead(session).accounts.get(tenant_id)) is not None:
        return ahead
    accounts = await session.scalars(
        select(BillingAccount)
        .where(BillingAccount.tenant_id == tenant_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return accounts.one()


async def open_account(session: AsyncSession, tenant_id: UUID) -> None:
    """Make sure that the tenant has an account."""
    await session.execute(
        insert(BillingAccount).values(tenant_id=tenant_id).on_conflict_do_nothing()
    )


async def hold(
    session: AsyncSession,
    tenant_id: UUID,
    amount_micros: int,
    *,
    along_with: tuple[Insert, ...] = (),
    parameters: Mapping[str, Any] | None = None,
) -> bool:
    """Hold ``amount_micros`` if that much is neither spent nor held; says whether it did.

    One conditional UPDATE: under any number of simultaneous callers PostgreSQL evaluates the
    condition again for each on the row that the one before it left.

    Args:
        along_with: rows that the same statement inserts, whether it can hold or not. They cost no
            time in which other callers would wait. Always the same objects, whose values are bound
            by name.
        parameters: those values.
    """
    if not along_with and (ahead := locked_ahead(session).accounts.get(tenant_id)) is not None:
        return _hold_locked(ahead, amount_micros)
    bound = {_ACCOUNT: tenant_id, _AMOUNT: amount_micros, **(parameters or {})}
    connection = await session.connection()
    return (await connection.execute(_holding(along_with), bound)).first() is not None


@cache
def _holding(along_with: tuple[Insert, ...]) -> ReturningUpdate[tuple[UUID]]:
    """The statement of ``hold``. Building it takes longer than running it, so it is kept; and it
    names the table, because the mapper would take as long again."""
    account = table_of(BillingAccount).c
    amount = bindparam(_AMOUNT, type_=BigInteger)
    statement = (
        update(table_of(BillingAccount))
        .where(
            account.tenant_id == bindparam(_ACCOUNT),
            account.is_active,
            account.free_micros + account.purchased_micros - account.held_micros >= amount,
        )
        .values(held_micros=account.held_micros + amount)
        .returning(account.tenant_id)
    )
    for number, rows in enumerate(along_with):
        statement = statement.add_cte(rows.cte(f"rows_{number}"))
    return statement


def _hold_locked(account: BillingAccount, amount_micros: int) -> bool:
    """``hold`` on an account that nobody else can change meanwhile."""
    available = account.free_micros + account.purchased_micros - account.held_micros
    if not account.is_active or available < amount_micros:
        return False
    account.held_micros += amount_micros
    return True


async def locked_open_reserve(
    session: AsyncSession, tenant_id: UUID, call_id: UUID
) -> CallReserve | None:
    """The call's reserve while it is open, held until this transaction ends."""
    ahead = locked_ahead(session)
    if call_id in ahead.calls:
        reserve = ahead.reserves.get(call_id)
        if reserve is None or (reserve.tenant_id, reserve.state) != (tenant_id, "open"):
            return None
        return reserve
    return await session.scalar(
        select(CallReserve)
        .where(
            CallReserve.tenant_id == tenant_id,
            CallReserve.call_id == call_id,
            CallReserve.state == "open",
        )
        .with_for_update()
        .execution_options(populate_existing=True)
    )


async def entry_of_reference(
    session: AsyncSession, tenant_id: UUID, reference: str
) -> LedgerEntry | None:
    """The entry that was posted for ``reference``."""
    found: LedgerEntry | None = await session.scalar(
        select(LedgerEntry).where(
            LedgerEntry.tenant_id == tenant_id, LedgerEntry.reference == reference
        )
    )
    return found


async def transactions(
    session: AsyncSession,
    tenant_id: UUID,
    limit: int,
    since: datetime | None,
    until: datetime | None,
) -> Sequence[LedgerEntry]:
    """Newest first; ``since`` inclusive, ``until`` exclusive."""
    query = (
        select(LedgerEntry)
        .where(LedgerEntry.tenant_id == tenant_id)
        .order_by(LedgerEntry.position.desc())
        .limit(limit)
    )
    if since is not None:
        query = query.where(LedgerEntry.created_at >= since)
    if until is not None:
        query = query.where(LedgerEntry.created_at < until)
    return (await session.scalars(query)).all()


async def daily_charges(
    session: AsyncSession, tenant_id: UUID, since: datetime, until: datetime
) -> list[int]:
    """Micro-dollars charged on each UTC day in [since, until) that had a charge."""
    day = func.date_trunc("day", func.timezone("UTC", LedgerEntry.created_at))
    rows = await session.execute(
        select(-func.sum(LedgerEntry.free_micros + LedgerEntry.purchased_micros))
        .where(
            LedgerEntry.tenant_id == tenant_id,
            LedgerEntry.transaction_type == "charge",
            LedgerEntry.created_at >= since,
            LedgerEntry.created_at < until,
        )
        .group_by(day)
    )
    return [int(micros) for (micros,) in rows]


async def unbalanced_accounts(session: AsyncSession) -> list[UUID]:
    """Tenants whose totals are not the sums of their entries and open reserves. For jobs.

    One statement sees one moment, so running calls do not disturb it.
    """
    entries = (
        select(
            LedgerEntry.tenant_id,
            func.sum(LedgerEntry.free_micros).label("free"),
            func.sum(LedgerEntry.purchased_micros).label("purchased"),
        )
        .group_by(LedgerEntry.tenant_id)
        .subquery()
    )
    reserves = (
        select(CallReserve.tenant_id, func.sum(CallReserve.held_micros).label("held"))
        .where(CallReserve.state == "open")
        .group_by(CallReserve.tenant_id)
        .subquery()
    )
    found = await session.scalars(
        select(BillingAccount.tenant_id)
        .outerjoin(entries, entries.c.tenant_id == BillingAccount.tenant_id)
        .outerjoin(reserves, reserves.c.tenant_id == BillingAccount.tenant_id)
        .where(
            or_(
                BillingAccount.free_micros != func.coalesce(entries.c.free, 0),
                BillingAccount.purchased_micros != func.coalesce(entries.c.purchased, 0),
                BillingAccount.held_micros != func.coalesce(reserves.c.held, 0),
            )
        )
    )
    return list(found)
