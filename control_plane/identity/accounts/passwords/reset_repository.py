"""Every query on password resets. All need a system session."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, literal, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.models import PasswordReset, User


async def store(
    session: AsyncSession, email: str, token_hash: bytes, *, expires_at: datetime
) -> bool:
    """Store a reset; ``False`` if no user has this address. It is one statement either way, so the
    time of the answer does not reveal which addresses are known."""
    person = select(User.id, literal(token_hash), literal(expires_at)).where(User.email == email)
    stored = await session.scalar(
        insert(PasswordReset)
        .from_select(["user_id", "token_hash", "expires_at"], person)
        .on_conflict_do_update(
            index_elements=["user_id"], set_={"token_hash": token_hash, "expires_at": expires_at}
        )
        .returning(PasswordReset.user_id)
    )
    return stored is not None


async def find(session: AsyncSession, token_hash: bytes, *, now: datetime) -> UUID | None:
    found: UUID | None = await session.scalar(
        select(PasswordReset.user_id).where(
            PasswordReset.token_hash == token_hash, PasswordReset.expires_at > now
        )
    )
    return found


async def use_up(session: AsyncSession, token_hash: bytes, *, now: datetime) -> bool:
    """Delete the reset; ``False`` if the token was no longer valid. Of two simultaneous requests
    only one gets ``True``."""
    used = await session.scalar(
        delete(PasswordReset)
        .where(PasswordReset.token_hash == token_hash, PasswordReset.expires_at > now)
        .returning(PasswordReset.user_id)
    )
    return used is not None


async def end(session: AsyncSession, user_id: UUID) -> None:
    """Delete the user's reset, if there is one."""
    await session.execute(delete(PasswordReset).where(PasswordReset.user_id == user_id))


async def delete_expired(session: AsyncSession, now: datetime) -> None:
    await session.execute(delete(PasswordReset).where(PasswordReset.expires_at <= now))
