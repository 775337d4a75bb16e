"""Whose feed a caller reads."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications.preference_views import of_caller
from control_plane.notifying.notifications.repository import Feed
from control_plane.platform.tenancy.caller import Caller


async def feed_of(session: AsyncSession, caller: Caller) -> Feed:
    """What the caller's preferences let it see."""
    choices = await of_caller(session, caller)
    hidden = [name for name, choice in choices.items() if not choice.wants("in_app")]
    return whole_feed_of(caller, hidden)


def whole_feed_of(caller: Caller, hidden: list[str] | None = None) -> Feed:
    """A session reads for its user, a key for all keys of its tenant."""
    reader = caller.tenant_id if caller.role is None else caller.actor.id
    assert reader is not None, "the actor of a session is a user"
    return Feed(caller.tenant_id, reader, hidden or ())
