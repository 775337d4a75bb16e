"""Every query on API keys."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, bindparam, delete, func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.api_keys.models import ApiKey, ApiKeySecret
from control_plane.identity.api_keys.secrets import KeyKind
from control_plane.platform.database import table_of
from control_plane.platform.page_repository import page_of


class FoundKey(NamedTuple):
    """What a request needs to know about its key."""

    id: UUID
    tenant_id: UUID
    name: str
    kind: KeyKind
    allowed_channels: list[str]
    allowed_origins: list[str] | None
    allowed_agent_ids: list[UUID] | None
    phone_agent_id: UUID | None
    phone_countries: list[str] | None
    phone_calls_per_day: int | None
    call_limits: dict[str, Any] | None
    last_used_at: datetime | None


async def find_by_secret(
    session: AsyncSession, key_hash: bytes, *, now: datetime
) -> FoundKey | None:
    """The key of a valid secret; ``None`` if there is none. Needs a system session, because the
    tenant is not known yet."""
    connection = await session.connection()
    found = (await connection.execute(_by_secret(), {"hash": key_hash, "now": now})).one_or_none()
    return None if found is None else FoundKey(*found)


@cache
def _by_secret() -> Select[*tuple[Any, ...]]:
    """Built once, and without the mapper: this saves each request 0.8 of 1.6 ms of processor
    time."""
    key, secret = table_of(ApiKey).c, table_of(ApiKeySecret).c
    now = bindparam("now", type_=secret.expires_at.type)
    return (
        select(*(key[name] for name in FoundKey._fields))
        .join(table_of(ApiKeySecret), secret.api_key_id == key.id)
        .where(
            secret.key_hash == bindparam("hash"),
            or_(secret.expires_at.is_(None), secret.expires_at > now),
            key.revoked_at.is_(None),
        )
    )


async def valid_secrets(
    session: AsyncSession, key_hashes: Collection[bytes], *, now: datetime
) -> list[tuple[bytes, UUID]]:
    """Those of the hashes that a request could use now, each with its tenant. Needs a system
    session."""
    found = await session.execute(
        select(ApiKeySecret.key_hash, ApiKeySecret.tenant_id)
        .join(ApiKey, ApiKey.id == ApiKeySecret.api_key_id)
        .where(
            ApiKeySecret.key_hash.in_(key_hashes),
            or_(ApiKeySecret.expires_at.is_(None), ApiKeySecret.expires_at > now),
            ApiKey.revoked_at.is_(None),
        )
    )
    return [(key_hash, tenant_id) for key_hash, tenant_id in found]


async def touch(
    session: AsyncSession, key: FoundKey, *, used_at: datetime, older_than: datetime
) -> None:
    """Record the use of a key, unless one was recorded since ``older_than``: requests must not
    queue for its row."""
    if key.last_used_at is not None and key.last_used_at >= older_than:
        return
    await session.execute(
        update(ApiKey)
        .where(
            ApiKey.id == key.id,
            or_(ApiKey.last_used_at.is_(None), ApiKey.last_used_at < older_than),
        )
        .values(last_used_at=used_at)
    )


async def list_keys(
    session: AsyncSession, tenant_id: UUID, *, limit: int, offset: int
) -> tuple[Sequence[ApiKey], int]:
    """One page, newest first, and the total. Revoked keys are included."""
    keys = select(ApiKey).where(ApiKey.tenant_id == tenant_id)
    newest_first = keys.order_by(ApiKey.created_at.desc(), ApiKey.id)
    return await page_of(session, newest_first, limit=limit, offset=offset)


async def find(
    session: AsyncSession, tenant_id: UUID, key_id: UUID, *, for_update: bool = False
) -> ApiKey | None:
    statement = select(ApiKey).where(ApiKey.tenant_id == tenant_id, ApiKey.id == key_id)
    if for_update:
        statement = statement.with_for_update()
    found: ApiKey | None = await session.scalar(statement)
    return found


async def overlap_ends(
    session: AsyncSession, tenant_id: UUID, key_ids: Collection[UUID], *, now: datetime
) -> dict[UUID, datetime]:
    """For each key with older secrets, when the last of them stops working."""
    rows = await session.execute(
        select(ApiKeySecret.api_key_id, func.max(ApiKeySecret.expires_at))
        .where(
            ApiKeySecret.tenant_id == tenant_id,
            ApiKeySecret.api_key_id.in_(key_ids),
            ApiKeySecret.expires_at > now,
        )
        .group_by(ApiKeySecret.api_key_id)
    )
    return {key_id: ends_at for key_id, ends_at in rows if ends_at is not None}


async def end_secrets(session: AsyncSession, key: ApiKey, *, at: datetime, now: datetime) -> None:
    """End the key's secrets at ``at``; those that end earlier keep their time."""
    of_key = (ApiKeySecret.tenant_id == key.tenant_id, ApiKeySecret.api_key_id == key.id)
    await session.execute(
        update(ApiKeySecret)
        .where(*of_key, or_(ApiKeySecret.expires_at.is_(None), ApiKeySecret.expires_at > at))
        .values(expires_at=at)
    )
    await session.execute(delete(ApiKeySecret).where(*of_key, ApiKeySecret.expires_at <= now))
