"""Every query on the phone calls that publishable keys have started."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Date, case, cast, func, or_
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.api_keys.models import PhoneCallsOfKey


async def count(session: AsyncSession, tenant_id: UUID, key_id: UUID, most: int) -> bool:
    """Count one call; ``False`` if the key has started ``most`` today. Waits for the key's other
    calls that are being created."""
    counts = PhoneCallsOfKey
    today = cast(func.timezone("UTC", func.now()), Date)
    is_new_day = counts.day != today
    counted = await session.scalar(
        insert(counts)
        .values(api_key_id=key_id, tenant_id=tenant_id, day=today, calls=1)
        .on_conflict_do_update(
            index_elements=[counts.api_key_id],
            set_={"day": today, "calls": case((is_new_day, 1), else_=counts.calls + 1)},
            where=or_(is_new_day, counts.calls < most),
        )
        .returning(counts.calls)
    )
    return counted is not None
