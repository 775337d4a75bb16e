"""Every query on accounts at carriers. ``tenant_id`` ``None`` means the installation's own
accounts, and needs a system session."""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import ColumnElement, delete, func, select, text, update
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.carriers.models import CarrierAccountRecord as Account


def _of(tenant_id: UUID | None) -> ColumnElement[bool]:
    return Account.tenant_id.is_(None) if tenant_id is None else Account.tenant_id == tenant_id


async def accounts_of(session: AsyncSession, tenant_id: UUID | None) -> Sequence[Account]:
    """The default first, then the oldest."""
    found = await session.scalars(
        select(Account)
        .where(_of(tenant_id))
        .order_by(Account.is_default.desc(), Account.created_at, Account.id)
    )
    return found.all()


async def page_of_accounts(
    session: AsyncSession, tenant_id: UUID | None, *, limit: int, offset: int
) -> tuple[Sequence[Account], int]:
    """One page, oldest first, and how many accounts there are."""
    total = await session.scalar(select(func.count()).select_from(Account).where(_of(tenant_id)))
    found = await session.scalars(
        select(Account)
        .where(_of(tenant_id))
        .order_by(Account.created_at, Account.id)
        .limit(limit)
        .offset(offset)
    )
    return found.all(), total or 0


async def find(
    session: AsyncSession, tenant_id: UUID | None, account_id: UUID, *, for_update: bool = False
) -> Account | None:
    query = select(Account).where(_of(tenant_id), Account.id == account_id)
    if for_update:
        query = query.with_for_update().execution_options(populate_existing=True)
    found: Account | None = await session.scalar(query)
    return found


async def find_any(session: AsyncSession, account_id: UUID) -> Account | None:
    """The account of any tenant or of the installation. Needs a system session."""
    return await session.get(Account, account_id)


async def hold_accounts(session: AsyncSession, tenant_id: UUID | None) -> None:
    """Until this transaction is over, nobody else changes which account is the default."""
    await session.execute(
        text("SELECT pg_advisory_xact_lock(hashtextextended(:name, 0))"),
        {"name": f"carrier accounts:{tenant_id}"},
    )


async def has_default(session: AsyncSession, tenant_id: UUID | None) -> bool:
    found = await session.scalar(select(Account.id).where(_of(tenant_id), Account.is_default))
    return found is not None


async def clear_default(session: AsyncSession, tenant_id: UUID | None) -> None:
    await session.execute(
        update(Account)
        .where(_of(tenant_id), Account.is_default)
        .values(is_default=False)
        .execution_options(synchronize_session=False)
    )


async def remove(session: AsyncSession, account_id: UUID) -> None:
    await session.execute(delete(Account).where(Account.id == account_id))


async def every_account(session: AsyncSession) -> Sequence[Account]:
    """For the bridges. Needs a system session."""
    return (await session.scalars(select(Account).order_by(Account.id))).all()
