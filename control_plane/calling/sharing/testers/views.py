"""Testers as the agent's owner sees them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.sharing.addresses import shown_page
from control_plane.calling.sharing.models import Tester
from control_plane.calling.sharing.pool_repository import uses_of
from control_plane.calling.sharing.pools import Pool, Use
from control_plane.calling.sharing.testers.schemas import TesterView
from control_plane.platform.settings import ControlPlaneSettings


async def tester_views(
    session: AsyncSession, testers: Sequence[Tester], settings: ControlPlaneSettings
) -> list[TesterView]:
    if not testers:
        return []
    uses = await uses_of(session, testers[0].tenant_id, [tester.id for tester in testers])
    now = datetime.now(UTC)
    return [_view(tester, uses.get(tester.id, Use()), settings, now) for tester in testers]


async def tester_view(
    session: AsyncSession, tester: Tester, settings: ControlPlaneSettings
) -> TesterView:
    [view] = await tester_views(session, [tester], settings)
    return view


def _view(tester: Tester, use: Use, settings: ControlPlaneSettings, now: datetime) -> TesterView:
    remaining = Pool(tester.minutes_limit, use).remaining_seconds
    return TesterView(
        id=tester.id,
        agent_id=tester.agent_id,
        email=tester.email,
        status="invited" if tester.is_active(now) else "expired",
        url=shown_page(tester.sealed_token, settings),
        minutes_limit=tester.minutes_limit,
        minutes_used=math.ceil(use.used_seconds / 60),
        minutes_reserved=math.ceil(use.reserved_seconds / 60),
        minutes_remaining=remaining // 60,
        seconds_used=use.used_seconds,
        seconds_remaining=remaining,
        live_calls=use.live_calls,
        invite_sent=tester.invite_sent,
        expires_at=tester.expires_at,
        minutes_requested_at=tester.minutes_requested_at,
        created_at=tester.created_at,
        sent_at=tester.sent_at,
    )
