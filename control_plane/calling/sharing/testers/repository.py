"""Every query on testers."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import TERMINAL_STATUSES
from control_plane.calling.calls.models import Call
from control_plane.calling.sharing.models import SharedCall, Tester


def _of_agent(tenant_id: UUID, agent_id: UUID) -> ColumnElement[bool]:
    return (Tester.tenant_id == tenant_id) & (Tester.agent_id == agent_id)


async def count_active(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, now: datetime
) -> int:
    count = await session.scalar(
        select(func.count())
        .select_from(Tester)
        .where(
            _of_agent(tenant_id, agent_id),
            Tester.revoked_at.is_(None),
            or_(Tester.expires_at.is_(None), Tester.expires_at > now),
        )
    )
    return count or 0


async def find_of_address(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, email: str
) -> Tester | None:
    """The tester who is not revoked, expired or not."""
    found: Tester | None = await session.scalar(
        select(Tester).where(
            _of_agent(tenant_id, agent_id), Tester.email == email, Tester.revoked_at.is_(None)
        )
    )
    return found


async def list_testers(session: AsyncSession, tenant_id: UUID, agent_id: UUID) -> Sequence[Tester]:
    """Newest first, without those that are revoked."""
    found = await session.scalars(
        select(Tester)
        .where(_of_agent(tenant_id, agent_id), Tester.revoked_at.is_(None))
        .order_by(Tester.created_at.desc(), Tester.id)
    )
    return found.all()


async def find(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, tester_id: UUID
) -> Tester | None:
    """Locked until the transaction ends."""
    found: Tester | None = await session.scalar(
        select(Tester)
        .where(_of_agent(tenant_id, agent_id), Tester.id == tester_id)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return found


async def find_by_token(system_session: AsyncSession, token_hash: bytes) -> Tester | None:
    """Needs a session of the system's role, because the tenant is not known yet."""
    found: Tester | None = await system_session.scalar(
        select(Tester).where(Tester.token_hash == token_hash)
    )
    return found


async def note_mail(
    session: AsyncSession, tenant_id: UUID, tester_id: UUID, *, was_sent: bool
) -> None:
    await session.execute(
        update(Tester)
        .where(Tester.tenant_id == tenant_id, Tester.id == tester_id)
        .values(invite_sent=was_sent)
    )


async def live_calls(session: AsyncSession, tenant_id: UUID, tester_id: UUID) -> Sequence[UUID]:
    found = await session.scalars(
        select(Call.id)
        .join(SharedCall, SharedCall.call_id == Call.id)
        .where(
            SharedCall.tenant_id == tenant_id,
            SharedCall.share_id == tester_id,
            Call.tenant_id == tenant_id,
            Call.status.not_in([status.value for status in TERMINAL_STATUSES]),
        )
    )
    return found.all()
