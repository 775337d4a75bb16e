"""Every query on numbers."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import case, delete, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.numbers.models import Number
from control_plane.platform.tenancy.models import Plan, Tenant

PROVED_BY = ("operator", "carrier")
"""What proves a number to everybody in the installation."""


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
    """``False`` if the tenant has the number already, or another tenant has proved it."""
    added = await session.scalar(
        insert(Number)
        .values(
            id=number.id,
            tenant_id=number.tenant_id,
            number=number.number,
            carrier=number.carrier,
            carrier_account_id=number.carrier_account_id,
            verified_by=number.verified_by,
            agent_id=number.agent_id,
            is_managed=number.is_managed,
            is_default=number.is_default,
            max_concurrent_calls=number.max_concurrent_calls,
            user_id=number.user_id,
        )
        .on_conflict_do_nothing()
        .returning(Number.id)
    )
    return added is not None


async def locked(session: AsyncSession, tenant_id: UUID, number: str) -> Number | None:
    """The tenant's number, locked."""
    found: Number | None = await session.scalar(
        select(Number)
        .where(Number.tenant_id == tenant_id, Number.number == number)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return found


async def find(session: AsyncSession, tenant_id: UUID, number: str) -> Number | None:
    found: Number | None = await session.scalar(
        select(Number).where(Number.tenant_id == tenant_id, Number.number == number)
    )
    return found


async def of_account(session: AsyncSession, account_id: UUID, number: str) -> Number | None:
    """The number that the operator gave to a tenant and that runs through the installation's own
    account. Needs a system session."""
    found: Number | None = await session.scalar(
        select(Number).where(
            Number.carrier_account_id == account_id, Number.number == number, Number.is_managed
        )
    )
    return found


async def is_proved_elsewhere(session: AsyncSession, tenant_id: UUID, number: str) -> bool:
    """Whether the operator or a carrier has vouched for the number of another tenant. Needs a
    system session."""
    found = await session.scalar(
        select(Number.id).where(
            Number.number == number,
            Number.tenant_id != tenant_id,
            Number.verified_by.in_(PROVED_BY),
        )
    )
    return found is not None


async def hold_registry(session: AsyncSession, tenant_id: UUID) -> None:
    """Until this transaction is over, the tenant's other registrations wait."""
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"),
        {"name": f"numbers:{tenant_id}"},
    )


async def quota_and_used(session: AsyncSession, tenant_id: UUID) -> tuple[int | None, int]:
    """How many numbers the tenant's plan allows (``None``: no limit), and how many it has
    registered. Those that the operator gave do not count."""
    limit = await session.scalar(
        select(Plan.phone_numbers_max)
        .join(Tenant, Tenant.plan_id == Plan.id)
        .where(Tenant.id == tenant_id)
    )
    used = await session.scalar(
        select(func.count())
        .select_from(Number)
        .where(Number.tenant_id == tenant_id, Number.is_managed.is_(False))
    )
    return limit, used or 0


async def release_from_account(session: AsyncSession, account_id: UUID) -> None:
    """The account is deleted: its numbers stay registered, without a carrier."""
    await session.execute(
        update(Number)
        .where(Number.carrier_account_id == account_id)
        .values(
            carrier_account_id=None,
            carrier=None,
            webhook_status=None,
            webhook_error=None,
            verified_by=case((Number.is_managed, Number.verified_by), else_=None),
        )
        .execution_options(synchronize_session=False)
    )


async def clear_default(session: AsyncSession, tenant_id: UUID) -> None:
    await session.execute(
        update(Number)
        .where(Number.tenant_id == tenant_id, Number.is_default)
        .values(is_default=False)
        .execution_options(synchronize_session=False)
    )


async def drop_mappings(session: AsyncSession, tenant_id: UUID, agent_id: UUID) -> None:
    """The agent is deleted: the numbers that the tenant registered for it go with it, and those
    that the operator gave stay, without an agent. Source: API spec, `DELETE /v1/agents/:id`."""
    of_agent = (Number.tenant_id == tenant_id, Number.agent_id == agent_id)
    await session.execute(
        delete(Number)
        .where(*of_agent, Number.is_managed.is_(False))
        .execution_options(synchronize_session=False)
    )
    await session.execute(
        update(Number)
        .where(*of_agent)
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
