"""Counts the calls that begin, and tells of an hour with many more than usual."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.notifying.notifications.occasion_repository import is_due
from control_plane.notifying.notifications.signals import volume_repository as repository
from control_plane.notifying.notifications.signals.volume import (
    COMPARED_WITH,
    FEWEST_CALLS,
    is_spike,
    usual_calls,
)
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.outbox.facts import Fact


class VolumeWatcher:
    """A ``FactConsumer``."""

    async def consume(self, session: AsyncSession, facts: Sequence[Fact]) -> None:
        begun = Counter(
            (fact.tenant_id, _hour_of(fact.occurred_at))
            for fact in facts
            # The further ones of a call are those of its phone legs.
            if fact.event == "call.started" and "participant_id" not in fact.data
        )
        # Sorted: readers that take over from each other lock the rows in one order.
        for tenant_id, hour in sorted(begun):
            calls = await repository.add_calls(session, tenant_id, hour, begun[tenant_id, hour])
            if calls >= FEWEST_CALLS:
                await _tell_spike(session, tenant_id, hour, calls)


def _hour_of(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


async def _tell_spike(session: AsyncSession, tenant_id: UUID, hour: datetime, calls: int) -> None:
    usual = usual_calls(hour, await repository.calls_before(session, tenant_id, hour))
    if usual is None or not is_spike(calls, usual):
        return
    # Once a day: the hours after an unusual one are mostly unusual, too.
    day = hour.date().isoformat()
    if not await is_due(session, tenant_id, "call.volume_spike", day, datetime.now(UTC)):
        return
    add_notification_event(
        session,
        tenant_id,
        "call.volume_spike",
        title="Many more calls than usual",
        message=f"{calls} calls have begun since {hour:%H:%M} UTC. At this hour there were"
        f" {usual:.1f} on average in the last {COMPARED_WITH.days} days.",
        metadata={"hour": hour.isoformat(), "calls": calls, "usual_calls": round(usual, 2)},
    )
