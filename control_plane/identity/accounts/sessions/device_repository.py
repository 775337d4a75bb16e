"""Every query on the browsers that users have logged in from. All need a system session."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.models import KnownDevice, User

MOST_DEVICES = 30


async def is_known(session: AsyncSession, email: str, token_hash: bytes) -> bool:
    """Whether the user with this address has logged in from the device before."""
    found = await session.scalar(
        select(KnownDevice.user_id)
        .join(User, User.id == KnownDevice.user_id)
        .where(User.email == email, KnownDevice.token_hash == token_hash)
    )
    return found is not None


async def remember(session: AsyncSession, user_id: UUID, token_hash: bytes, now: datetime) -> None:
    """Remember the device. Only the ``MOST_DEVICES`` that were seen last are kept."""
    await session.execute(
        insert(KnownDevice)
        .values(user_id=user_id, token_hash=token_hash, last_seen_at=now)
        .on_conflict_do_update(index_elements=["user_id", "token_hash"], set_={"last_seen_at": now})
    )
    newest = (
        select(KnownDevice.token_hash)
        .where(KnownDevice.user_id == user_id)
        .order_by(KnownDevice.last_seen_at.desc())
        .limit(MOST_DEVICES)
    )
    await session.execute(
        delete(KnownDevice).where(
            KnownDevice.user_id == user_id, KnownDevice.token_hash.not_in(newest)
        )
    )


async def forget_all(session: AsyncSession, user_id: UUID) -> None:
    await session.execute(delete(KnownDevice).where(KnownDevice.user_id == user_id))
