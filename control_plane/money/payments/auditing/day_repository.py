"""Queries on the days of the audit of payments. They need a system session."""

from __future__ import annotations

from datetime import UTC, date, datetime, time

from sqlalchemy import ColumnElement, SQLColumnExpression, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing.audits.rotation import AuditedDay, Span
from control_plane.money.billing.models import LedgerDay
from control_plane.money.payments.models import PaymentAudit


async def days(session: AsyncSession) -> list[AuditedDay]:
    """The days that have entries in the ledger, oldest first. What was paid on another day lies
    between two of them."""
    known = select(LedgerDay.day).distinct().subquery()
    rows = await session.execute(
        select(known.c.day, PaymentAudit.audited_at, func.coalesce(PaymentAudit.balanced, True))
        .outerjoin(PaymentAudit, PaymentAudit.day == known.c.day)
        .order_by(known.c.day)
    )
    return [AuditedDay(*row) for row in rows]


async def keep_audited(
    session: AsyncSession, day: date, audited_at: datetime, *, balanced: bool
) -> None:
    audit = insert(PaymentAudit).values(day=day, audited_at=audited_at, balanced=balanced)
    newer = {"audited_at": audit.excluded.audited_at, "balanced": audit.excluded.balanced}
    await session.execute(
        audit.on_conflict_do_update(index_elements=[PaymentAudit.day], set_=newer)
    )


async def read_by_day(session: AsyncSession) -> None:
    """Until the end of the transaction PostgreSQL reads by indexes. It does not see how few pages
    of the ledger's partition a day has."""
    await session.execute(text("SET LOCAL enable_seqscan = off"))


def within(
    span: Span, moment: SQLColumnExpression[datetime] | SQLColumnExpression[datetime | None]
) -> list[ColumnElement[bool]]:
    """The conditions under which ``moment`` is in the span."""
    bounds: list[ColumnElement[bool]] = []
    if span.since is not None:
        bounds.append(moment >= _midnight(span.since))
    if span.until is not None:
        bounds.append(moment < _midnight(span.until))
    return bounds


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
