"""A visitor asks for more minutes."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents import repository as agents
from control_plane.calling.sharing.visiting import repository
from control_plane.calling.sharing.visiting.admission import check_open
from control_plane.calling.sharing.visiting.share import Share
from control_plane.platform.outbox.events import add_notification_event


async def ask_for_minutes(session: AsyncSession, share: Share, now: datetime) -> datetime:
    """When somebody first asked. The owner is told once, until there are more minutes.

    Raises:
        ShareLinkOff
    """
    check_open(share)
    if not await repository.note_wish(session, share, now):
        return share.minutes_requested_at or now
    agent = await agents.find(session, share.tenant_id, share.agent_id)
    name = "an agent" if agent is None else agent.name
    if share.kind == "tester":
        who, named = f"{share.email}, who tests {name},", "tester_id"
    else:
        who, named = f"A visitor of the public link to {name}", "share_link_id"
    add_notification_event(
        session,
        share.tenant_id,
        "agent.minutes_requested",
        title="More minutes wanted",
        message=f"{who} asks for more minutes.",
        metadata={
            "agent_id": str(share.agent_id),
            named: str(share.id),
            "minutes_limit": share.minutes_limit,
        },
    )
    return now
