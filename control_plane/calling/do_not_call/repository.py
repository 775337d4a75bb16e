"""Every query on the do-not-call list."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from sqlalchemy import Text, bindparam, delete, func, literal, select
from sqlalchemy.dialects.postgresql import ARRAY, insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.do_not_call.models import DoNotCallNumber, Source
from control_plane.platform.tenancy.caller import Actor


async def listed_numbers(
    session: AsyncSession, tenant_id: UUID, numbers: Collection[str]
) -> set[str]:
    """Which of ``numbers`` (E.164) the tenant must not call."""
    found = await session.scalars(
        select(DoNotCallNumber.number).where(
            DoNotCallNumber.tenant_id == tenant_id, DoNotCallNumber.number.in_(numbers)
        )
    )
    return set(found)


async def find(session: AsyncSession, tenant_id: UUID, number: str) -> DoNotCallNumber | None:
    found: DoNotCallNumber | None = await session.scalar(
        select(DoNotCallNumber).where(
            DoNotCallNumber.tenant_id == tenant_id, DoNotCallNumber.number == number
        )
    )
    return found


async def add(
    session: AsyncSession,
    tenant_id: UUID,
    reasons: Mapping[str, str | None],
    *,
    source: Source,
    added_by: Actor,
) -> int:
    """Add numbers (E.164) with their reasons; returns how many were not on the list before."""
    given = (
        func.unnest(
            bindparam("numbers", list(reasons), ARRAY(Text)),
            bindparam("reasons", list(reasons.values()), ARRAY(Text)),
        )
        .table_valued("number", "reason")
        .render_derived()
    )
    added = await session.scalars(
        insert(DoNotCallNumber)
        .from_select(
            [
                "tenant_id",
                "number",
                "reason",
                "source",
                "added_by_kind",
                "added_by_id",
                "added_by_label",
            ],
            select(
                literal(tenant_id),
                given.c.number,
                given.c.reason,
                literal(source),
                literal(added_by.kind),
                literal(added_by.id, DoNotCallNumber.added_by_id.type),
                literal(added_by.label),
                # In one order, so that two imports of the same numbers cannot deadlock.
            ).order_by(given.c.number),
        )
        .on_conflict_do_nothing()
        .returning(literal(1))
    )
    return len(added.all())


async def remove(session: AsyncSession, tenant_id: UUID, number: str) -> bool:
    """Returns whether the number was on the list."""
    removed = await session.scalar(
        delete(DoNotCallNumber)
        .where(DoNotCallNumber.tenant_id == tenant_id, DoNotCallNumber.number == number)
        .returning(DoNotCallNumber.number)
    )
    return removed is not None


async def list_numbers(
    session: AsyncSession, tenant_id: UUID, *, pattern: str | None, limit: int, offset: int
) -> tuple[Sequence[DoNotCallNumber], int]:
    """One page, newest first, and how many numbers there are.

    Args:
        pattern: for ``LIKE``; ``None`` matches every number.
    """
    conditions = [DoNotCallNumber.tenant_id == tenant_id]
    if pattern is not None:
        conditions.append(DoNotCallNumber.number.like(pattern))
    total = await session.scalar(
        select(func.count()).select_from(DoNotCallNumber).where(*conditions)
    )
    numbers = await session.scalars(
        select(DoNotCallNumber)
        .where(*conditions)
        .order_by(DoNotCallNumber.created_at.desc(), DoNotCallNumber.number)
        .limit(limit)
        .offset(offset)
    )
    return numbers.all(), total or 0
