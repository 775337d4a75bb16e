"""The daily limit on phone calls with one publishable key."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.api_keys import phone_call_repository as repository
from control_plane.identity.api_keys.errors import PhoneCallsUsedUp


async def count_phone_call(
    session: AsyncSession, tenant_id: UUID, key_id: UUID, calls_per_day: int
) -> None:
    """Count a phone call, in the transaction that makes it. Days are those of UTC.

    Raises:
        PhoneCallsUsedUp: the key has started ``calls_per_day`` phone calls today.
    """
    if await repository.count(session, tenant_id, key_id, calls_per_day):
        return
    now = datetime.now(UTC)
    midnight = datetime.combine(now.date() + timedelta(days=1), time(), UTC)
    raise PhoneCallsUsedUp(
        calls_per_day, retry_after_seconds=max(1, int((midnight - now).total_seconds()))
    )
