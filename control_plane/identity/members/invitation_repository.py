"""Every query on invitations."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.members.models import Invitation
from control_plane.platform.page_repository import page_of

_IS_OPEN = Invitation.accepted_at.is_(None) & Invitation.revoked_at.is_(None)


async def add(
    session: AsyncSession,
    tenant_id: UUID,
    *,
    email: str,
    role: str,
    token_hash: bytes,
    invited_by: str,
    now: datetime,
    expires_at: datetime,
) -> Invitation | None:
    """Add an invitation; ``None`` if the address has an open one, even one that another transaction
    is just adding, or if there was one with this token. An expired invitation is replaced."""
    await session.execute(
        update(Invitation)
        .where(
            Invitation.tenant_id == tenant_id,
            Invitation.email == email,
            Invitation.expires_at <= now,
            _IS_OPEN,
        )
        .values(revoked_at=now)
    )
    added: Invitation | None = await session.scalar(
        insert(Invitation)
        .values(
            id=uuid4(),
            tenant_id=tenant_id,
            email=email,
            role=role,
            token_hash=token_hash,
            invited_by=invited_by,
            invite_sent=False,
            created_at=now,
            sent_at=now,
            expires_at=expires_at,
        )
        .on_conflict_do_nothing()
        .returning(Invitation)
    )
    return added


async def list_invitations(
    session: AsyncSession, tenant_id: UUID, *, limit: int, offset: int
) -> tuple[Sequence[Invitation], int]:
    """One page, newest first, and the total. Closed invitations are included."""
    invitations = select(Invitation).where(Invitation.tenant_id == tenant_id)
    newest_first = invitations.order_by(Invitation.created_at.desc(), Invitation.id)
    return await page_of(session, newest_first, limit=limit, offset=offset)


async def find_locked(
    session: AsyncSession, tenant_id: UUID, invitation_id: UUID
) -> Invitation | None:
    found: Invitation | None = await session.scalar(
        select(Invitation)
        .where(Invitation.tenant_id == tenant_id, Invitation.id == invitation_id)
        .with_for_update()
    )
    return found


async def find_open_of_address(
    session: AsyncSession, tenant_id: UUID, email: str
) -> Invitation | None:
    found: Invitation | None = await session.scalar(
        select(Invitation).where(
            Invitation.tenant_id == tenant_id, Invitation.email == email, _IS_OPEN
        )
    )
    return found


async def find_open_by_token(
    session: AsyncSession, token_hash: bytes, *, now: datetime, lock: bool = False
) -> Invitation | None:
    """Needs a system session, because the tenant is not known yet."""
    query = select(Invitation).where(
        Invitation.token_hash == token_hash, Invitation.expires_at > now, _IS_OPEN
    )
    found: Invitation | None = await session.scalar(query.with_for_update() if lock else query)
    return found


async def note_mail(
    session: AsyncSession, tenant_id: UUID, invitation_id: UUID, *, was_sent: bool
) -> None:
    await session.execute(
        update(Invitation)
        .where(Invitation.tenant_id == tenant_id, Invitation.id == invitation_id)
        .values(invite_sent=was_sent)
    )
