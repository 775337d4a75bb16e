"""Every query of the audit of the books. They need a system session.

Each is one statement, which sees one moment, so running calls do not disturb it.
"""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Subquery,
    case,
    func,
    literal,
    or_,
    select,
    text,
    union_all,
)
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing.audits.rotation import AuditedDay, Span
from control_plane.money.billing.models import (
    BillingAccount,
    CallReserve,
    CounterDay,
    LedgerAudit,
    LedgerDay,
    LedgerEntry,
)


class Figure(NamedTuple):
    """A total that is not what it should be."""

    name: str
    kept: int
    """What the table of totals says; micro-dollars, unless ``name`` is ``entries``."""
    counted: int
    """What its parts add up to."""


Unbalanced = list[tuple[UUID, tuple[Figure, ...]]]
"""Tenants, in the order of their ids, with the figures that differ."""


async def unbalanced_accounts(session: AsyncSession) -> Unbalanced:
    """Tenants whose totals differ from the sums of their days and open reserves, or do not add up
    to nothing with their other side."""
    zero = literal(0)
    payer_id = func.coalesce(CallReserve.payer_tenant_id, CallReserve.tenant_id)
    held_plan = func.least(CallReserve.held_plan_micros, CallReserve.held_micros)
    held_free = func.least(CallReserve.held_free_micros, CallReserve.held_micros - held_plan)
    books = union_all(
        select(
            BillingAccount.tenant_id,
            literal(True).label("is_kept"),
            BillingAccount.plan_micros.label("plan credit"),
            BillingAccount.free_micros.label("free credit"),
            BillingAccount.purchased_micros.label("purchased credit"),
            BillingAccount.held_micros.label("held"),
            BillingAccount.held_plan_micros.label("held plan credit"),
            BillingAccount.held_free_micros.label("held free credit"),
            (
                BillingAccount.plan_micros
                + BillingAccount.free_micros
                + BillingAccount.purchased_micros
            ).label("balance against its counter accounts"),
        ),
        select(
            LedgerDay.tenant_id,
            literal(False),
            func.sum(LedgerDay.plan_micros),
            func.sum(LedgerDay.free_micros),
            func.sum(LedgerDay.purchased_micros),
            zero,
            zero,
            zero,
            zero,
        ).group_by(LedgerDay.tenant_id),
        select(
            payer_id,
            literal(False),
            zero,
            zero,
            zero,
            func.sum(CallReserve.held_micros),
            func.sum(held_plan),
            func.sum(held_free),
            zero,
        )
        .where(CallReserve.state == "open")
        .group_by(payer_id),
        select(
            CounterDay.tenant_id,
            literal(False),
            zero,
            zero,
            zero,
            zero,
            zero,
            zero,
            -func.sum(CounterDay.micros),
        ).group_by(CounterDay.tenant_id),
    ).subquery()
    return await _unbalanced(session, books)


async def days(session: AsyncSession) -> list[AuditedDay]:
    """The days that have entries, oldest first."""
    known = select(LedgerDay.day).distinct().subquery()
    rows = await session.execute(
        select(known.c.day, LedgerAudit.audited_at, func.coalesce(LedgerAudit.balanced, True))
        .outerjoin(LedgerAudit, LedgerAudit.day == known.c.day)
        .order_by(known.c.day)
    )
    return [AuditedDay(*row) for row in rows]


async def tenants_with_wrong_days(session: AsyncSession, span: Span) -> Unbalanced:
    """Tenants whose entries in ``span`` do not add up to its totals, or to nothing together with
    their other side."""
    of_counters: list[ColumnElement[bool]] = []
    of_entries: list[ColumnElement[bool]] = []
    of_totals: list[ColumnElement[bool]] = []
    if span.since is not None:
        of_entries.append(LedgerEntry.created_at >= _midnight(span.since))
        of_totals.append(LedgerDay.day >= span.since)
        of_counters.append(CounterDay.day >= span.since)
    if span.until is not None:
        of_entries.append(LedgerEntry.created_at < _midnight(span.until))
        of_totals.append(LedgerDay.day < span.until)
        of_counters.append(CounterDay.day < span.until)
    zero = literal(0)
    amount = LedgerEntry.plan_micros + LedgerEntry.free_micros + LedgerEntry.purchased_micros
    books = union_all(
        select(
            LedgerEntry.tenant_id,
            literal(False).label("is_kept"),
            literal(1).label("entries"),
            LedgerEntry.plan_micros.label("plan credit"),
            LedgerEntry.free_micros.label("free credit"),
            LedgerEntry.purchased_micros.label("purchased credit"),
            case((LedgerEntry.transaction_type == "charge", -amount), else_=0).label("charges"),
            amount.label("balance against its counter accounts"),
        ).where(*of_entries),
        select(
            LedgerDay.tenant_id,
            literal(True),
            LedgerDay.entries,
            LedgerDay.plan_micros,
            LedgerDay.free_micros,
            LedgerDay.purchased_micros,
            LedgerDay.charged_micros,
            zero,
        ).where(*of_totals),
        select(
            CounterDay.tenant_id, literal(True), zero, zero, zero, zero, zero, -CounterDay.micros
        ).where(*of_counters),
    ).subquery()
    # PostgreSQL does not see how few pages of the partition a day has, and reads all of them: with
    # five million entries that takes 430 ms instead of 30.
    await session.execute(text("SET LOCAL enable_seqscan = off"))
    return await _unbalanced(session, books)


async def keep_audited(
    session: AsyncSession, day: date, audited_at: datetime, *, balanced: bool
) -> None:
    audit = insert(LedgerAudit).values(day=day, audited_at=audited_at, balanced=balanced)
    newer = {"audited_at": audit.excluded.audited_at, "balanced": audit.excluded.balanced}
    await session.execute(audit.on_conflict_do_update(index_elements=[LedgerAudit.day], set_=newer))


async def _unbalanced(session: AsyncSession, books: Subquery) -> Unbalanced:
    """
    Args:
        books: rows of ``tenant_id``, ``is_kept`` and amounts. Those of each tenant that are kept
            add up to the same as those that are not.
    """
    names = [column.name for column in books.c if column.name not in ("tenant_id", "is_kept")]
    kept, counted = (
        [
            func.coalesce(func.sum(books.c[name]).filter(books.c.is_kept.is_(is_kept)), 0)
            for name in names
        ]
        for is_kept in (True, False)
    )
    tenant_id = books.c.tenant_id
    rows = await session.execute(
        select(tenant_id, *kept, *counted)
        .group_by(tenant_id)
        .having(or_(*(one != other for one, other in zip(kept, counted, strict=True))))
        .order_by(tenant_id)
    )
    found = []
    for tenant, *figures in rows:
        sides = zip(names, figures[: len(names)], figures[len(names) :], strict=True)
        differing = tuple(Figure(name, int(a), int(b)) for name, a, b in sides if a != b)
        found.append((tenant, differing))
    return found


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
