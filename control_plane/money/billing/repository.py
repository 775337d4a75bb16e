"""Every query on billing's tables. None commits."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import fields
from datetime import date, datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    Select,
    Update,
    Uuid,
    any_,
    bindparam,
    case,
    func,
    literal,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing.locked_ahead import (
    LockedAccount,
    LockedAhead,
    keep_locked,
    locked_ahead,
)
from control_plane.money.billing.models import (
    BillingAccount,
    CallReserve,
    LedgerDay,
    LedgerEntry,
    LedgerReference,
)
from control_plane.platform.database import table_of


async def account(session: AsyncSession, tenant_id: UUID) -> BillingAccount | None:
    return await session.scalar(select(BillingAccount).where(BillingAccount.tenant_id == tenant_id))


async def locked_account(session: AsyncSession, tenant_id: UUID) -> LockedAccount:
    """The account, locked until the end of the transaction. It must exist."""
    if (ahead := locked_ahead(session).accounts.get(tenant_id)) is not None:
        return ahead
    rows = await session.execute(_accounts().where(BillingAccount.tenant_id == tenant_id))
    return LockedAccount(**rows.one()._asdict())


async def lock_accounts(session: AsyncSession, tenant_ids: Collection[UUID]) -> None:
    """Lock the tenants' accounts in the order that every transaction uses."""
    await session.execute(_accounts_of(tenant_ids))


async def lock_ahead(
    session: AsyncSession, tenant_ids: Collection[UUID], call_ids: Collection[UUID]
) -> None:
    """Lock the calls' open reserves and the tenants' accounts, in the order that every transaction
    uses. The calls' rows must already be locked.

    Call it once per transaction, and not in one that creates calls, because ``hold_first`` does not
    use these locks.
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
    rows = await session.execute(_accounts_of(tenant_ids))
    accounts = [LockedAccount(**row._asdict()) for row in rows]
    locked = LockedAhead(
        frozenset(call_ids),
        {reserve.call_id: reserve for reserve in reserves},
        {account.tenant_id: account for account in accounts},
    )
    keep_locked(session, locked)


def _accounts_of(tenant_ids: Collection[UUID]) -> Select[*tuple[Any, ...]]:
    return (
        _accounts()
        .where(BillingAccount.tenant_id == any_(literal(list(tenant_ids), ARRAY(Uuid))))
        .order_by(BillingAccount.tenant_id)
    )


def _accounts() -> Select[*tuple[Any, ...]]:
    """The fields of ``LockedAccount``."""
    account = table_of(BillingAccount).c
    return select(*(account[each.name] for each in fields(LockedAccount))).with_for_update()


async def account_or_empty(session: AsyncSession, tenant_id: UUID) -> BillingAccount:
    """The account, or an empty one that is not kept."""
    return await account(session, tenant_id) or empty_account(tenant_id)


def empty_account(tenant_id: UUID) -> BillingAccount:
    return BillingAccount(
        tenant_id=tenant_id,
        is_active=True,
        plan_micros=0,
        free_micros=0,
        purchased_micros=0,
        held_micros=0,
        held_plan_micros=0,
        held_free_micros=0,
        extra_usage=True,
    )


async def set_extra_usage(session: AsyncSession, tenant_id: UUID, enabled: bool) -> None:
    await session.execute(_setting(tenant_id).values(extra_usage=enabled))


async def set_plan_period(session: AsyncSession, tenant_id: UUID, month: date) -> None:
    await session.execute(_setting(tenant_id).values(plan_period=month))


async def set_watch(session: AsyncSession, tenant_id: UUID, below_micros: int | None) -> None:
    await session.execute(_setting(tenant_id).values(watch_below_micros=below_micros))


async def set_last_topup(session: AsyncSession, entry: LedgerEntry) -> None:
    await session.execute(
        _setting(entry.tenant_id).values(
            last_topup_id=entry.id, last_topup_micros=entry.amount_micros
        )
    )


def _setting(tenant_id: UUID) -> Update:
    return (
        update(BillingAccount)
        .where(BillingAccount.tenant_id == tenant_id)
        .execution_options(synchronize_session=False)
    )


async def tenants_below_watch(session: AsyncSession, limit: int) -> list[UUID]:
    """Tenants whose available credit is below the amount that is watched. Needs a system
    session."""
    account = BillingAccount
    available = (
        account.plan_micros + account.free_micros + account.purchased_micros - account.held_micros
    )
    found = await session.scalars(
        select(account.tenant_id)
        .where(account.watch_below_micros.is_not(None), available < account.watch_below_micros)
        .order_by(account.tenant_id)
        .limit(limit)
    )
    return list(found)


async def open_account(session: AsyncSession, tenant_id: UUID) -> None:
    """Add the tenant's account if it has none."""
    await session.execute(
        insert(BillingAccount).values(tenant_id=tenant_id).on_conflict_do_nothing()
    )


async def hold_first(
    session: AsyncSession,
    tenant_id: UUID,
    call_id: UUID,
    amount_micros: int,
    *,
    required_micros: int,
    of_tenant_id: UUID | None = None,
) -> Held | None:
    """Open the call's reserve with ``amount_micros``; ``None`` if less than ``required_micros`` can
    be spent (``LockedAccount.spendable_micros``). What is held comes from the buckets in the order
    of ``buckets.draw``.

    It is one statement that locks the account on a condition: PostgreSQL evaluates the condition
    again after each simultaneous transaction that changed the row. The tenant's other calls wait
    from here to the commit, so commit as soon as possible.

    Args:
        of_tenant_id: the call's tenant, if it is another one than ``tenant_id``, who pays.
    """
    connection = await session.connection()
    bound = {
        "hold_account": tenant_id,
        "hold_tenant": of_tenant_id or tenant_id,
        "hold_payer": None if of_tenant_id is None else tenant_id,
        "hold_call": call_id,
        "hold_micros": amount_micros,
        "hold_required": required_micros,
    }
    row = (await connection.execute(_holding_first(), bound)).first()
    return None if row is None else Held(*row)


class Held(NamedTuple):
    """An account after a first hold."""

    available_micros: int
    watch_below_micros: int | None


@cache
def _holding_first() -> Select[*tuple[Any, ...]]:
    """Built once, and without the mapper: this saves each new call 1.4 of 2.4 ms of processor
    time."""
    account, reserve = table_of(BillingAccount).c, table_of(CallReserve)
    amount = bindparam("hold_micros", type_=BigInteger)
    plan = account.plan_micros - account.held_plan_micros
    free = account.free_micros - account.held_free_micros
    purchased = account.purchased_micros - (
        account.held_micros - account.held_plan_micros - account.held_free_micros
    )
    spendable = plan + free + case((account.extra_usage, purchased), else_=func.least(0, purchased))
    able = (
        select(
            account.tenant_id,
            account.plan_period,
            account.watch_below_micros,
            (plan + free + purchased - amount).label("available_micros"),
            func.least(amount, func.greatest(0, plan)).label("from_plan"),
            free.label("free"),
        )
        .where(
            account.tenant_id == bindparam("hold_account"),
            account.is_active,
            spendable >= bindparam("hold_required", type_=BigInteger),
        )
        .with_for_update()
        .cte("able")
    )
    held = {
        reserve.c.call_id: bindparam("hold_call", type_=Uuid),
        reserve.c.tenant_id: bindparam("hold_tenant", type_=Uuid),
        reserve.c.payer_tenant_id: bindparam("hold_payer", type_=Uuid),
        reserve.c.held_micros: amount,
        reserve.c.held_plan_micros: able.c.from_plan,
        reserve.c.held_free_micros: func.least(
            amount - able.c.from_plan, func.greatest(0, able.c.free)
        ),
        reserve.c.carried_micros: literal(0, BigInteger),
        reserve.c.plan_period: able.c.plan_period,
        reserve.c.state: literal("open"),
    }
    opened = (
        insert(reserve)
        .from_select(list(held), select(*held.values()))
        .returning(reserve.c.call_id)
        .cte("opened")
    )
    return select(able.c.available_micros, able.c.watch_below_micros).join_from(
        able, opened, literal(True)
    )


async def locked_open_reserve(
    session: AsyncSession, tenant_id: UUID, call_id: UUID
) -> CallReserve | None:
    """The call's reserve, locked until the end of the transaction; ``None`` if it is not open."""
    ahead = locked_ahead(session)
    if call_id in ahead.calls:
        reserve = ahead.reserves.get(call_id)
        if reserve is None or (reserve.payer_id, reserve.state) != (tenant_id, "open"):
            return None
        return reserve
    return await session.scalar(
        select(CallReserve)
        .where(
            _is_paid_by(tenant_id),
            CallReserve.call_id == call_id,
            CallReserve.state == "open",
        )
        .with_for_update()
        .execution_options(populate_existing=True)
    )


async def reserve_of(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> CallReserve | None:
    """The reserve that the tenant has for the call, whatever has become of it."""
    return await session.scalar(
        select(CallReserve).where(_is_paid_by(tenant_id), CallReserve.call_id == call_id)
    )


def _is_paid_by(tenant_id: UUID) -> ColumnElement[bool]:
    return func.coalesce(CallReserve.payer_tenant_id, CallReserve.tenant_id) == tenant_id


async def entry_of_reference(
    session: AsyncSession, tenant_id: UUID, reference: str
) -> LedgerEntry | None:
    """The entry that was posted for ``reference``, if there is one."""
    entry_id = (
        select(LedgerReference.entry_id)
        .where(LedgerReference.tenant_id == tenant_id, LedgerReference.reference == reference)
        .scalar_subquery()
    )
    found: LedgerEntry | None = await session.scalar(
        select(LedgerEntry).where(LedgerEntry.tenant_id == tenant_id, LedgerEntry.id == entry_id)
    )
    return found


async def find_entry(session: AsyncSession, tenant_id: UUID, entry_id: UUID) -> LedgerEntry | None:
    """``None``: the tenant has no such entry."""
    found: LedgerEntry | None = await session.scalar(
        select(LedgerEntry).where(LedgerEntry.tenant_id == tenant_id, LedgerEntry.id == entry_id)
    )
    return found


async def transactions(
    session: AsyncSession,
    tenant_id: UUID,
    limit: int,
    since: datetime | None,
    until: datetime | None,
) -> Sequence[LedgerEntry]:
    """Newest first; ``since`` is inclusive, ``until`` exclusive."""
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


async def account_and_daily_charges(
    session: AsyncSession, tenant_id: UUID, since: date, until: date
) -> tuple[BillingAccount | None, list[int]]:
    """The account, and the micro-dollars charged on each UTC day in [since, until) that had a
    charge. One statement, because dashboards ask for the balance all the time."""
    connection = await session.connection()
    bound = {"tenant": tenant_id, "since": since, "until": until}
    found = (await connection.execute(_with_daily_charges(), bound)).mappings().one_or_none()
    if found is None:
        return None, []
    row = dict(found)
    charges = row.pop("charges")
    return BillingAccount(**row), charges


@cache
def _with_daily_charges() -> Select[*tuple[Any, ...]]:
    account, day = table_of(BillingAccount).c, table_of(LedgerDay).c
    charges = (
        select(func.coalesce(func.array_agg(day.charged_micros), literal([], ARRAY(BigInteger))))
        .where(
            day.tenant_id == account.tenant_id,
            day.day >= bindparam("since"),
            day.day < bindparam("until"),
            day.charged_micros > 0,
        )
        .scalar_subquery()
    )
    return select(*account, charges.label("charges")).where(
        account.tenant_id == bindparam("tenant")
    )
