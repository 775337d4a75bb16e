"""Opening dashboard sessions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.accounts.models import DashboardSession
from control_plane.identity.accounts.sessions import repository as session_repository
from control_plane.identity.accounts.sessions.lifetime import expires_at
from control_plane.identity.accounts.tokens import hash_of, new_token
from control_plane.platform.tenancy.caller import RequestOrigin

MOST_SESSIONS = 50
_LONGEST_USER_AGENT = 400


@dataclass(frozen=True)
class NewSession:
    session: DashboardSession
    token: str
    """For the cookie. It is stored nowhere else."""


async def open_session(
    session: AsyncSession,
    *,
    user_id: UUID,
    tenant_id: UUID,
    origin: RequestOrigin,
    ttl_seconds: int,
    now: datetime,
) -> NewSession:
    """Open a session. Needs a system session, and the membership must exist. If the user then has
    more than ``MOST_SESSIONS``, the least recently used ones end."""
    token = new_token()
    opened = DashboardSession(
        token_hash=hash_of(token),
        tenant_id=tenant_id,
        user_id=user_id,
        address=origin.address,
        user_agent=(origin.user_agent or "")[:_LONGEST_USER_AGENT] or None,
        created_at=now,
        last_used_at=now,
        expires_at=expires_at(now, now, ttl_seconds),
    )
    session.add(opened)
    await session.flush()
    await session_repository.keep_latest(session, user_id, MOST_SESSIONS)
    return NewSession(opened, token)
