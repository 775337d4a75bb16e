"""Public links as their owner sees them."""

from __future__ import annotations

import math

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.sharing.addresses import shown_page
from control_plane.calling.sharing.links.schemas import ShareLinkView
from control_plane.calling.sharing.models import ShareLink
from control_plane.calling.sharing.pool_repository import use_of
from control_plane.calling.sharing.pools import Pool
from control_plane.platform.settings import ControlPlaneSettings


async def link_view(
    session: AsyncSession, link: ShareLink, settings: ControlPlaneSettings
) -> ShareLinkView:
    use = await use_of(session, link.tenant_id, link.id)
    remaining = Pool(link.minutes_limit, use).remaining_seconds
    return ShareLinkView(
        id=link.id,
        url=shown_page(link.sealed_token, settings),
        enabled=link.enabled,
        minutes_limit=link.minutes_limit,
        minutes_used=math.ceil(use.used_seconds / 60),
        minutes_reserved=math.ceil(use.reserved_seconds / 60),
        minutes_remaining=remaining // 60,
        seconds_used=use.used_seconds,
        seconds_remaining=remaining,
        live_calls=use.live_calls,
        max_call_seconds=link.max_call_seconds,
        max_concurrent=link.max_concurrent,
        calls_per_ip_hour=link.calls_per_ip_hour,
        allowed_origins=link.allowed_origins,
        minutes_requested_at=link.minutes_requested_at,
        created_at=link.created_at,
    )
