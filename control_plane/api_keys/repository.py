"""Every query on API keys."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.api_keys.models import ApiKey


async def find_active_by_hash(session: AsyncSession, key_hash: bytes) -> ApiKey | None:
    """The key, whichever tenant it belongs to: needs a system session."""
    found: ApiKey | None = await session.scalar(
        select(ApiKey).where(ApiKey.key_hash == key_hash, ApiKey.revoked_at.is_(None))
    )
    return found


async def touch(
    session: AsyncSession, key: ApiKey, *, used_at: datetime, older_than: datetime
) -> None:
    """Note the use of a key, once per interval at most: requests must not queue for its row."""
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
    """One page, newest first, and how many there are. Revoked keys are listed too."""
    of_tenant = ApiKey.tenant_id == tenant_id
    total = await session.scalar(select(func.count()).select_from(ApiKey).where(of_tenant))
    keys = await session.scalars(
        select(ApiKey)
        .where(of_tenant)
        .order_by(ApiKey.created_at.desc(), ApiKey.id)
        .limit(limit)
        .offset(offset)
    )
    return keys.all(), total or 0


async def find(session: AsyncSession, tenant_id: UUID, key_id: UUID) -> ApiKey | None:
    found: ApiKey | None = await session.scalar(
        select(ApiKey).where(ApiKey.tenant_id == tenant_id, ApiKey.id == key_id)
    )
    return found
