"""Every query on answered requests. None commits."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.idempotency.models import AnsweredRequest

_NOT_ANSWERED_YET = ""


async def claim(
    session: AsyncSession,
    tenant_id: UUID | None,
    key_digest: bytes,
    request_digest: bytes,
    *,
    now: datetime,
    expired_before: datetime,
) -> bool:
    """Take the key for the request of this transaction; ``False`` if it is taken.

    While another transaction has claimed it, this waits for that one's end: PostgreSQL lets only
    one of two rows with the same key in, and the other if the first is rolled back.
    """
    wanted = insert(AnsweredRequest).values(
        key_digest=key_digest,
        tenant_id=tenant_id,
        request_digest=request_digest,
        sealed_answer=_NOT_ANSWERED_YET,
        claimed_at=now,
    )
    claimed = await session.scalar(
        wanted.on_conflict_do_update(
            index_elements=[AnsweredRequest.key_digest],
            set_={
                "request_digest": wanted.excluded.request_digest,
                "sealed_answer": wanted.excluded.sealed_answer,
                "claimed_at": wanted.excluded.claimed_at,
            },
            where=AnsweredRequest.claimed_at < expired_before,
        ).returning(AnsweredRequest.key_digest)
    )
    return claimed is not None


async def find(session: AsyncSession, key_digest: bytes) -> AnsweredRequest | None:
    found: AnsweredRequest | None = await session.scalar(
        select(AnsweredRequest).where(AnsweredRequest.key_digest == key_digest)
    )
    return found


async def remember(session: AsyncSession, key_digest: bytes, sealed_answer: str) -> None:
    """Keep the answer of the request that has claimed the key."""
    await session.execute(
        update(AnsweredRequest)
        .where(AnsweredRequest.key_digest == key_digest)
        .values(sealed_answer=sealed_answer)
        .execution_options(synchronize_session=False)
    )


async def forget(session: AsyncSession, claimed_before: datetime) -> None:
    """Of every tenant. For jobs."""
    await session.execute(
        delete(AnsweredRequest).where(AnsweredRequest.claimed_at < claimed_before)
    )
