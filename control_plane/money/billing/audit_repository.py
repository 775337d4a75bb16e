"""Every query of the audit of the books. They need a system session.

Each is one statement, which sees one moment, so running calls do not disturb it.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from uuid import UUID

from sqlalchemy import ColumnElement, case, func, literal, or_, select, text, union_all
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing.audit_rotation import AuditedDay, Span
from control_plane.money.billing.models import (
    BillingAccount,
    CallReserve,
    LedgerAudit,
    LedgerDay,
    LedgerEntry,
)


async def unbalanced_accounts(session: AsyncSession) -> list[UUID]:
    """Tenants whose totals differ from the sums of their days and open reserves."""
    zero = literal(0)
    books = union_all(
        select(
            BillingAccount.tenant_id,
            BillingAccount.free_micros.label("free"),
            BillingAccount.purchased_micros.label("purchased"),
            BillingAccount.held_micros.label("held"),
        ),
        select(
            LedgerDay.tenant_id,
            -func.sum(LedgerDay.free_micros),
            -func.sum(LedgerDay.purchased_micros),
            zero,
        ).group_by(LedgerDay.tenant_id),
        select(CallReserve.tenant_id, zero, zero, -func.sum(CallReserve.held_micros))
        .where(CallReserve.state == "open")
        .group_by(CallReserve.tenant_id),
    ).subquery()
    sums = [func.sum(column) for column in (books.c.free, books.c.purchased, books.c.held)]
    return await _tenants_with_differences(session, books.c.tenant_id, sums)


async def days(session: AsyncSession) -> list[AuditedDay]:
    """The days that have entries, oldest first."""
    known = select(LedgerDay.day).distinct().subquery()
    rows = await session.execute(
        select(known.c.day, LedgerAudit.audited_at, func.coalesce(LedgerAudit.balanced, True))
        .outerjoin(LedgerAudit, LedgerAudit.day == known.c.day)
        .order_by(known.c.day)
    )
    return [AuditedDay(*row) for row in rows]


async def tenants_with_wrong_days(session: AsyncSession, span: Span) -> list[UUID]:
    """Tenants whose entries in ``span`` do not add up to its totals."""
    of_entries: list[ColumnElement[bool]] = []
    of_totals: list[ColumnElement[bool]] = []
    if span.since is not None:
        of_entries.append(LedgerEntry.created_at >= _midnight(span.since))
        of_totals.append(LedgerDay.day >= span.since)
    if span.until is not None:
        of_entries.append(LedgerEntry.created_at < _midnight(span.until))
        of_totals.append(LedgerDay.day < span.until)
    amount = LedgerEntry.free_micros + LedgerEntry.purchased_micros
    books = union_all(
        select(
            LedgerEntry.tenant_id,
            literal(1).label("entries"),
            LedgerEntry.free_micros.label("free"),
            LedgerEntry.purchased_micros.label("purchased"),
            case((LedgerEntry.transaction_type == "charge", -amount), else_=0).label("charged"),
        ).where(*of_entries),
        select(
            LedgerDay.tenant_id,
            -LedgerDay.entries,
            -LedgerDay.free_micros,
            -LedgerDay.purchased_micros,
            -LedgerDay.charged_micros,
        ).where(*of_totals),
    ).subquery()
    # PostgreSQL does not see how few pages of the partition a day has, and reads all of them: with
    # five million entries that takes 430 ms instead of 30.
    await session.execute(text("SET LOCAL enable_seqscan = off"))
    columns = (books.c.entries, books.c.free, books.c.purchased, books.c.charged)
    sums = [func.sum(column) for column in columns]
    return await _tenants_with_differences(session, books.c.tenant_id, sums)


async def keep_audited(
    session: AsyncSession, day: date, audited_at: datetime, *, balanced: bool
) -> None:
    audit = insert(LedgerAudit).values(day=day, audited_at=audited_at, balanced=balanced)
    newer = {"audited_at": audit.excluded.audited_at, "balanced": audit.excluded.balanced}
    await session.execute(audit.on_conflict_do_update(index_elements=[LedgerAudit.day], set_=newer))


async def _tenants_with_differences(
    session: AsyncSession, tenant_id: ColumnElement[UUID], sums: Sequence[ColumnElement[int]]
) -> list[UUID]:
    differing = or_(*(each != 0 for each in sums))
    found = await session.scalars(
        select(tenant_id).group_by(tenant_id).having(differing).order_by(tenant_id)
    )
    return list(found)


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
