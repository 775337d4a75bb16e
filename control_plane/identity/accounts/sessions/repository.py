"""Every query on dashboard sessions. All need a system session."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, CursorResult, and_, delete, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.models import DashboardSession, User
from control_plane.identity.members.models import Membership


@dataclass(frozen=True)
class OpenSession:
    """A session with its user and the user's current role in the session's tenant."""

    session: DashboardSession
    user: User
    role: str


async def find_open(
    session: AsyncSession, token_hash: bytes, *, now: datetime
) -> OpenSession | None:
    found = await session.execute(
        select(DashboardSession, User, Membership.role)
        .join(User, User.id == DashboardSession.user_id)
        .join(
            Membership,
            and_(
                Membership.tenant_id == DashboardSession.tenant_id,
                Membership.user_id == DashboardSession.user_id,
            ),
        )
        .where(DashboardSession.token_hash == token_hash, DashboardSession.expires_at > now)
    )
    row = found.one_or_none()
    return None if row is None else OpenSession(*row)


async def open_tokens(
    session: AsyncSession, token_hashes: Collection[bytes], *, now: datetime
) -> list[tuple[bytes, UUID]]:
    """Those of the hashes whose sessions are open, each with its session's tenant."""
    found = await session.execute(
        select(DashboardSession.token_hash, DashboardSession.tenant_id).where(
            DashboardSession.token_hash.in_(token_hashes), DashboardSession.expires_at > now
        )
    )
    return [(token_hash, tenant_id) for token_hash, tenant_id in found]


async def note_use(
    session: AsyncSession, session_id: UUID, *, used_at: datetime, ends_at: datetime
) -> None:
    await session.execute(
        update(DashboardSession)
        .where(DashboardSession.id == session_id)
        .values(last_used_at=used_at, expires_at=ends_at)
    )


async def list_open(
    session: AsyncSession, user_id: UUID, *, now: datetime
) -> Sequence[DashboardSession]:
    """The user's sessions, the last used first."""
    found = await session.scalars(
        select(DashboardSession)
        .where(DashboardSession.user_id == user_id, DashboardSession.expires_at > now)
        .order_by(DashboardSession.last_used_at.desc(), DashboardSession.id)
    )
    return found.all()


async def move_to_tenant(
    session: AsyncSession, user_id: UUID, token_hash: bytes, tenant_id: UUID
) -> bool:
    """Move the session to the tenant; ``False`` if the user is not a member of it, or the
    membership is just ending."""
    membership = (
        select(Membership.user_id)
        .where(Membership.tenant_id == tenant_id, Membership.user_id == user_id)
        .with_for_update(read=True, key_share=True)
    )
    moved = await session.scalar(
        update(DashboardSession)
        .where(DashboardSession.token_hash == token_hash, membership.exists())
        .values(tenant_id=tenant_id)
        .returning(DashboardSession.id)
    )
    return moved is not None


async def end(session: AsyncSession, user_id: UUID, session_id: UUID) -> bytes | None:
    """End one of the user's sessions and return its token's hash; ``None`` if there is no such
    session."""
    ended: bytes | None = await session.scalar(
        delete(DashboardSession)
        .where(DashboardSession.user_id == user_id, DashboardSession.id == session_id)
        .returning(DashboardSession.token_hash)
    )
    return ended


async def end_all(
    session: AsyncSession, user_id: UUID, *, but_token_hash: bytes | None = None
) -> int:
    """End the user's sessions, all or all but one; returns how many."""
    conditions = [DashboardSession.user_id == user_id]
    if but_token_hash is not None:
        conditions.append(DashboardSession.token_hash != but_token_hash)
    return await _delete(session, *conditions)


async def keep_latest(session: AsyncSession, user_id: UUID, most: int) -> None:
    """End all of the user's sessions except the ``most`` that were used last."""
    latest = (
        select(DashboardSession.id)
        .where(DashboardSession.user_id == user_id)
        .order_by(DashboardSession.last_used_at.desc(), DashboardSession.id)
        .limit(most)
    )
    await _delete(session, DashboardSession.user_id == user_id, DashboardSession.id.not_in(latest))


async def end_by_token(session: AsyncSession, token_hash: bytes) -> None:
    await _delete(session, DashboardSession.token_hash == token_hash)


async def delete_expired(session: AsyncSession, now: datetime) -> None:
    await _delete(session, DashboardSession.expires_at <= now)


async def _delete(session: AsyncSession, *conditions: ColumnElement[bool]) -> int:
    result = await session.execute(delete(DashboardSession).where(*conditions))
    assert isinstance(result, CursorResult)
    return result.rowcount
