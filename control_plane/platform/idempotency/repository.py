"""Every query on stored answers. None commits."""

from __future__ import annotations

from datetime import datetime
from functools import cache
from uuid import UUID

from sqlalchemy import ColumnElement, Update, bindparam, case, delete, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.dml import ReturningInsert

from control_plane.platform.batched_deletion_repository import delete_some
from control_plane.platform.database import table_of
from control_plane.platform.idempotency.models import AnsweredRequest

_NOT_ANSWERED_YET = ""
_RENEWED = ("request_digest", "sealed_answer", "claimed_at")
"""The columns that change when an expired key is used for another request."""


async def claim(
    session: AsyncSession,
    tenant_id: UUID | None,
    key_digest: bytes,
    request_digest: bytes,
    *,
    now: datetime,
    expired_before: datetime,
) -> bool:
    """Claim the key for this transaction's request; ``False`` if another request has it.

    If another open transaction has claimed the key, this waits until that one ends: PostgreSQL
    accepts a second row with the same key only if the first is rolled back.
    """
    connection = await session.connection()
    claimed = await connection.execute(
        _claiming(),
        {
            "key": key_digest,
            "tenant": tenant_id,
            "request": request_digest,
            "now": now,
            "expired_before": expired_before,
        },
    )
    return claimed.first() is not None


@cache
def _claiming() -> ReturningInsert[tuple[bytes]]:
    """Built once, and without the mapper: this saves each request with a key 1.4 of 2.4 ms of
    processor time."""
    table = table_of(AnsweredRequest)
    wanted = insert(table).values(
        key_digest=bindparam("key"),
        tenant_id=bindparam("tenant"),
        request_digest=bindparam("request"),
        sealed_answer=_NOT_ANSWERED_YET,
        claimed_at=bindparam("now"),
    )
    expired_before = bindparam("expired_before", type_=table.c.claimed_at.type)
    return wanted.on_conflict_do_update(
        index_elements=[table.c.key_digest],
        set_={name: wanted.excluded[name] for name in _RENEWED},
        where=table.c.claimed_at < expired_before,
    ).returning(table.c.key_digest)


async def hold(
    session: AsyncSession,
    tenant_id: UUID | None,
    key_digest: bytes,
    request_digest: bytes,
    effect_id: UUID,
    *,
    now: datetime,
    held_until: datetime,
    expired_before: datetime,
) -> UUID | None:
    """Claim the key for a request that acts after this transaction; returns the id of its effect.

    The same request takes over a key that is held no longer and has no answer, with the effect's
    first id, which is another than ``effect_id``. ``None`` if another request has the key.
    """
    old = AnsweredRequest
    is_expired = old.claimed_at < expired_before
    is_abandoned = (old.held_until <= now) & (old.request_digest == request_digest)
    wanted = insert(AnsweredRequest).values(
        key_digest=key_digest,
        tenant_id=tenant_id,
        request_digest=request_digest,
        sealed_answer=_NOT_ANSWERED_YET,
        claimed_at=now,
        effect_id=effect_id,
        held_until=held_until,
    )
    held: UUID | None = await session.scalar(
        wanted.on_conflict_do_update(
            index_elements=[old.key_digest],
            set_={name: wanted.excluded[name] for name in (*_RENEWED, "held_until")}
            | {"effect_id": case((is_expired, wanted.excluded.effect_id), else_=old.effect_id)},
            where=is_expired | is_abandoned,
        ).returning(old.effect_id)
    )
    return held


async def finish(
    session: AsyncSession, key_digest: bytes, held_until: datetime, sealed_answer: str
) -> None:
    """Store the answer of the request that holds the key, unless another has taken it over."""
    await session.execute(
        update(AnsweredRequest)
        .where(_is_held(key_digest, held_until))
        .values(sealed_answer=sealed_answer, held_until=None)
    )


async def give_back(session: AsyncSession, key_digest: bytes, held_until: datetime) -> None:
    """Forget the key: its request was refused, and has done nothing."""
    await session.execute(delete(AnsweredRequest).where(_is_held(key_digest, held_until)))


async def abandon(
    session: AsyncSession, key_digest: bytes, held_until: datetime, now: datetime
) -> None:
    """Let the same request take the key over at once: this one has failed, and may have acted."""
    await session.execute(
        update(AnsweredRequest).where(_is_held(key_digest, held_until)).values(held_until=now)
    )


def _is_held(key_digest: bytes, held_until: datetime) -> ColumnElement[bool]:
    """By exactly one request, which then holds the key until a later time."""
    return (AnsweredRequest.key_digest == key_digest) & (AnsweredRequest.held_until == held_until)


async def find(session: AsyncSession, key_digest: bytes) -> AnsweredRequest | None:
    found: AnsweredRequest | None = await session.scalar(
        select(AnsweredRequest).where(AnsweredRequest.key_digest == key_digest)
    )
    return found


async def remember(session: AsyncSession, key_digest: bytes, sealed_answer: str) -> None:
    """Store the answer of the request that has claimed the key."""
    connection = await session.connection()
    await connection.execute(_remembering(), {"key": key_digest, "answer": sealed_answer})


@cache
def _remembering() -> Update:
    """Built once, and without the mapper: this saves each request with a key 0.6 of 1.3 ms of
    processor time."""
    table = table_of(AnsweredRequest)
    return (
        update(table)
        .where(table.c.key_digest == bindparam("key"))
        .values(sealed_answer=bindparam("answer"))
    )


async def forget(session: AsyncSession, claimed_before: datetime, *, most: int) -> int:
    """Delete old answers of every tenant, and return how many, which are ``most`` at most. Needs a
    system session."""
    is_old = AnsweredRequest.claimed_at < claimed_before
    return await delete_some(session, AnsweredRequest.key_digest, is_old, most=most)
