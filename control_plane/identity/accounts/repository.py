"""Every query on users. All need a system session."""

from __future__ import annotations

from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.models import User


async def find_by_email(session: AsyncSession, email: str) -> User | None:
    found: User | None = await session.scalar(select(User).where(User.email == email))
    return found


async def find(session: AsyncSession, user_id: UUID) -> User | None:
    found: User | None = await session.scalar(select(User).where(User.id == user_id))
    return found


async def find_locked(session: AsyncSession, user_id: UUID) -> User | None:
    """The user's current row, locked until the end of the transaction."""
    found: User | None = await session.scalar(
        select(User)
        .where(User.id == user_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return found


async def add(session: AsyncSession, email: str) -> User | None:
    """A new user; ``None`` if the address has one, even one that another transaction is just
    adding."""
    added: User | None = await session.scalar(
        insert(User)
        .values(id=uuid4(), email=email)
        .on_conflict_do_nothing(index_elements=["email"])
        .returning(User)
    )
    return added


async def find_or_add(session: AsyncSession, email: str) -> User:
    """The user with this address, added if there is none. The row stays locked until the end of the
    transaction."""
    added = await add(session, email)
    if added is not None:
        return added
    return (await session.scalars(select(User).where(User.email == email).with_for_update())).one()
