"""What the end of calls says of a tenant: its first call, an agent in trouble, a balance that runs
out. Each becomes a fact of its own."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import usd
from control_plane.notifying.notifications import call_signal_repository as repository
from control_plane.notifying.notifications.call_signals import (
    DEGRADED_WINDOW,
    balance_category,
    degradation,
)
from control_plane.notifying.notifications.occasion_repository import is_due
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.outbox.facts import Fact

DEGRADED_AGAIN_AFTER = timedelta(hours=1)
_STATES_OF_BALANCE = ("billing.low_balance", "billing.balance_depleted")
_ENDS = ("call.completed", "call.failed")


class CallWatcher:
    """A ``FactConsumer``."""

    async def consume(self, session: AsyncSession, facts: Sequence[Fact]) -> None:
        ends = [fact for fact in facts if fact.event in _ENDS]
        completed = {fact.tenant_id for fact in ends if fact.event == "call.completed"}
        now = datetime.now(UTC)
        # Sorted: readers that take over from each other lock the rows in one order.
        for tenant_id in sorted(completed):
            await _tell_first_call(session, tenant_id, now)
        for tenant_id in sorted({fact.tenant_id for fact in ends}):
            await _tell_balance(session, tenant_id, now)
        for tenant_id, agent_id in sorted({(fact.tenant_id, _agent_of(fact)) for fact in ends}):
            await _tell_degradation(session, tenant_id, agent_id, now)


def _agent_of(fact: Fact) -> UUID:
    return UUID(fact.data["agent_id"])


async def _tell_first_call(session: AsyncSession, tenant_id: UUID, now: datetime) -> None:
    category = "call.first_call"
    if not await repository.has_one_completed_call(session, tenant_id):
        return
    if await is_due(session, tenant_id, category, "first", now):
        add_notification_event(
            session,
            tenant_id,
            "call.first_call",
            title="Your first call",
            message="The first call of one of your agents is over: read what was said.",
            metadata={},
        )


async def _tell_balance(session: AsyncSession, tenant_id: UUID, now: datetime) -> None:
    """Each state once, until the balance is better than that again."""
    found = await repository.balance(session, tenant_id)
    if found is None:
        return
    total_micros, is_active = found
    category = balance_category(total_micros, is_active=is_active)
    for state in _STATES_OF_BALANCE:
        is_over = category is None or (
            state == "billing.balance_depleted" and category == "billing.low_balance"
        )
        if is_over:
            await repository.forget_occasion(session, tenant_id, state, "state")
    if category is None or not await is_due(session, tenant_id, category, "state", now):
        return
    is_empty = category == "billing.balance_depleted"
    add_notification_event(
        session,
        tenant_id,
        category,
        title="Your balance is used up" if is_empty else "Your balance is low",
        message="No further call can be paid for."
        if is_empty
        else f"${usd(total_micros):.2f} are left.",
        metadata={"balance_usd": usd(total_micros)},
    )


async def _tell_degradation(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, now: datetime
) -> None:
    since = now - DEGRADED_WINDOW
    found = degradation(await repository.calls_ended_since(session, tenant_id, agent_id, since))
    category, again_after = "agent.degraded", DEGRADED_AGAIN_AFTER
    if found is None or not await is_due(
        session, tenant_id, category, str(agent_id), now, again_after=again_after
    ):
        return
    name = await repository.agent_name(session, agent_id) or "An agent"
    add_notification_event(
        session,
        tenant_id,
        "agent.degraded",
        title=f"{name} is in trouble",
        message=f"Of its {found.calls} calls in the last 15 minutes, {found.failed} failed and"
        f" {found.switched} had to go on with another provider.",
        metadata={
            "agent_id": str(agent_id),
            "calls": found.calls,
            "failed": found.failed,
            "switched": found.switched,
        },
    )
