"""Every query on chats. None finds one that has expired."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.chat_sessions.models import ChatSession
from control_plane.platform.batched_deletion_repository import delete_some


async def count(session: AsyncSession, tenant_id: UUID, now: datetime) -> int:
    """The tenant's chats."""
    wanted = ChatSession.tenant_id == tenant_id, ChatSession.expires_at > now
    counted = select(func.count()).select_from(ChatSession).where(*wanted)
    return await session.scalar(counted) or 0


async def find(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, chat_id: UUID, now: datetime
) -> ChatSession | None:
    found: ChatSession | None = await session.scalar(
        select(ChatSession).where(*_named(tenant_id, agent_id, chat_id, now))
    )
    return found


async def claim(
    session: AsyncSession,
    tenant_id: UUID,
    agent_id: UUID,
    chat_id: UUID,
    *,
    now: datetime,
    until: datetime,
) -> ChatSession | None:
    """Take the chat to answer a message; ``None`` if there is none that is open and free."""
    claimed: ChatSession | None = await session.scalar(
        update(ChatSession)
        .where(
            *_named(tenant_id, agent_id, chat_id, now),
            ChatSession.ended_at.is_(None),
            or_(ChatSession.answering_until.is_(None), ChatSession.answering_until <= now),
        )
        .values(answering_until=until)
        .returning(ChatSession)
        .execution_options(synchronize_session=False)
    )
    return claimed


async def give_back(session: AsyncSession, tenant_id: UUID, chat_id: UUID, until: datetime) -> None:
    """Let the chat be answered again, if it is still claimed until ``until``."""
    await session.execute(
        update(ChatSession)
        .where(*_claimed(tenant_id, chat_id, until))
        .values(answering_until=None)
        .execution_options(synchronize_session=False)
    )


async def answer(
    session: AsyncSession,
    tenant_id: UUID,
    chat_id: UUID,
    until: datetime,
    values: dict[str, Any],
) -> ChatSession | None:
    """Write the answer, and give the chat back; ``None`` if it was deleted or claimed again."""
    answered: ChatSession | None = await session.scalar(
        update(ChatSession)
        .where(*_claimed(tenant_id, chat_id, until))
        .values(answering_until=None, **values)
        .returning(ChatSession)
        .execution_options(synchronize_session=False, populate_existing=True)
    )
    return answered


async def remove(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, chat_id: UUID, now: datetime
) -> bool:
    """Delete the chat. Returns whether there was one."""
    removed = await session.scalar(
        delete(ChatSession)
        .where(*_named(tenant_id, agent_id, chat_id, now))
        .returning(ChatSession.id)
        .execution_options(synchronize_session=False)
    )
    return removed is not None


async def delete_expired(session: AsyncSession, now: datetime, *, most: int) -> int:
    """Delete those of every tenant, and return how many, which are ``most`` at most. For jobs."""
    return await delete_some(session, ChatSession.id, ChatSession.expires_at <= now, most=most)


def _claimed(tenant_id: UUID, chat_id: UUID, until: datetime) -> tuple[ColumnElement[bool], ...]:
    return (
        ChatSession.tenant_id == tenant_id,
        ChatSession.id == chat_id,
        ChatSession.answering_until == until,
    )


def _named(
    tenant_id: UUID, agent_id: UUID, chat_id: UUID, now: datetime
) -> tuple[ColumnElement[bool], ...]:
    return (
        ChatSession.tenant_id == tenant_id,
        ChatSession.agent_id == agent_id,
        ChatSession.id == chat_id,
        ChatSession.expires_at > now,
    )
