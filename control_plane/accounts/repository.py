"""Every query on people. All of them need a system session."""

from __future__ import annotations

from uuid import UUID, uuid4

from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.accounts.models import User


async def find_by_email(session: AsyncSession, email: str) -> User | None:
    found: User | None = await session.scalar(select(User).where(User.email == email))
    return found


async def find(session: AsyncSession, user_id: UUID) -> User | None:
    return await session.get(User, user_id)


async def find_or_add(session: AsyncSession, email: str) -> User:
    """The person with this address, who is made if need be, also by two requests at once. The row
    stays locked until the end of the transaction."""
    await session.execute(
        insert(User)
        .values(id=uuid4(), email=email)
        .on_conflict_do_nothing(index_elements=["email"])
    )
    return (await session.scalars(select(User).where(User.email == email).with_for_update())).one()
