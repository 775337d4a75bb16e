"""The wishes of visitors, as stored with their links and testers."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.sharing.models import ShareLink, Tester
from control_plane.calling.sharing.visiting.share import Share


async def note_wish(session: AsyncSession, share: Share, now: datetime) -> bool:
    """Note that more minutes are wanted; ``False`` if somebody has asked already."""
    asked = Tester if share.kind == "tester" else ShareLink
    noted = await session.scalar(
        update(asked)
        .where(
            asked.tenant_id == share.tenant_id,
            asked.id == share.id,
            asked.minutes_requested_at.is_(None),
        )
        .values(minutes_requested_at=now)
        .returning(asked.id)
        .execution_options(synchronize_session=False)
    )
    return noted is not None
