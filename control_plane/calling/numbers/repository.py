"""Every query on numbers."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import delete, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.numbers.models import Number


async def numbers_of(session: AsyncSession, tenant_id: UUID) -> Sequence[Number]:
    """The tenant's numbers, oldest first."""
    found = await session.scalars(
        select(Number).where(Number.tenant_id == tenant_id).order_by(Number.created_at, Number.id)
    )
    return found.all()


async def page_of_numbers(
    session: AsyncSession, tenant_id: UUID, *, limit: int, offset: int
) -> tuple[Sequence[Number], int]:
    """One page, oldest first, and how many numbers there are."""
    total = await session.scalar(
        select(func.count()).select_from(Number).where(Number.tenant_id == tenant_id)
    )
    numbers = await session.scalars(
        select(Number)
        .where(Number.tenant_id == tenant_id)
        .order_by(Number.created_at, Number.id)
        .limit(limit)
        .offset(offset)
    )
    return numbers.all(), total or 0


async def add(session: AsyncSession, number: Number) -> bool:
    """``False`` if the number is already registered, for this or another tenant."""
    added = await session.scalar(
        insert(Number)
        .values(
            id=number.id,
            tenant_id=number.tenant_id,
            number=number.number,
            carrier=number.carrier,
            agent_id=number.agent_id,
            is_managed=number.is_managed,
            is_default=number.is_default,
            max_concurrent_calls=number.max_concurrent_calls,
        )
        .on_conflict_do_nothing(index_elements=[Number.number])
        .returning(Number.id)
    )
    return added is not None


async def locked(session: AsyncSession, number: str) -> Number | None:
    """The number of any tenant, locked. Needs a system session."""
    found: Number | None = await session.scalar(
        select(Number)
        .where(Number.number == number)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return found


async def clear_default(session: AsyncSession, tenant_id: UUID) -> None:
    await session.execute(
        update(Number)
        .where(Number.tenant_id == tenant_id, Number.is_default)
        .values(is_default=False)
        .execution_options(synchronize_session=False)
    )


async def detach_from_agent(session: AsyncSession, tenant_id: UUID, agent_id: UUID) -> None:
    """The agent's numbers stay the tenant's, but belong to no agent."""
    await session.execute(
        update(Number)
        .where(Number.tenant_id == tenant_id, Number.agent_id == agent_id)
        .values(agent_id=None)
        .execution_options(synchronize_session=False)
    )


async def remove(session: AsyncSession, tenant_id: UUID, number: str) -> bool:
    """Returns whether the tenant had the number."""
    removed = await session.scalar(
        delete(Number)
        .where(Number.tenant_id == tenant_id, Number.number == number)
        .returning(Number.id)
    )
    return removed is not None
