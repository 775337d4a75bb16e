"""What the end of calls says of a tenant: its first call, an agent in trouble, a balance that runs
out. Each becomes a fact of its own."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Literal
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import MICROS_PER_USD, usd
from control_plane.money.spend_alerts import repository as spend_alerts
from control_plane.notifying.notifications import settings_repository
from control_plane.notifying.notifications.occasion_repository import is_due
from control_plane.notifying.notifications.signals import call_signal_repository as repository
from control_plane.notifying.notifications.signals.call_signals import (
    DEGRADED_WINDOW,
    LEVELS,
    BalanceLevel,
    balance_level,
    degradation,
)
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.outbox.facts import TEST_ORIGIN, Fact

DEGRADED_AGAIN_AFTER = timedelta(hours=1)
_CATEGORY_OF_LEVEL: Mapping[
    BalanceLevel, Literal["billing.low_balance", "billing.balance_depleted"]
]
_CATEGORY_OF_LEVEL = {
    "low": "billing.low_balance",
    "critical": "billing.low_balance",
    "depleted": "billing.balance_depleted",
}
_ENDS = ("call.completed", "call.failed")


class CallWatcher:
    """A ``FactConsumer``."""

    async def consume(self, session: AsyncSession, facts: Sequence[Fact]) -> None:
        ends = [fact for fact in facts if fact.event in _ENDS]
        completed: defaultdict[UUID, set[UUID]] = defaultdict(set)
        for fact in ends:
            if fact.event == "call.completed":
                completed[fact.tenant_id].add(_call_of(fact))
        now = datetime.now(UTC)
        # Sorted: readers that take over from each other lock the rows in one order.
        for tenant_id in sorted(completed):
            await _tell_first_call(session, tenant_id, completed[tenant_id], now)
        paid = [
            fact
            for fact in facts
            if fact.event == "billing.topup_confirmed" and fact.origin != TEST_ORIGIN
        ]
        for fact in paid:
            await _note_top_up(session, fact)
        payers = await repository.other_payers(session, [_call_of(fact) for fact in ends])
        # A top-up may end a bad state, which can then be told again.
        for tenant_id in sorted({fact.tenant_id for fact in (*ends, *paid)} | payers):
            await _tell_balance(session, tenant_id, now)
        for tenant_id, agent_id in sorted({(fact.tenant_id, _agent_of(fact)) for fact in ends}):
            await _tell_degradation(session, tenant_id, agent_id, now)


def _agent_of(fact: Fact) -> UUID:
    return UUID(fact.data["agent_id"])


def _call_of(fact: Fact) -> UUID:
    return UUID(fact.data["call_id"])


async def _note_top_up(session: AsyncSession, fact: Fact) -> None:
    amount_micros = round(fact.data["metadata"]["amount_usd"] * MICROS_PER_USD)
    await settings_repository.note_top_up(session, fact.tenant_id, amount_micros)


async def _tell_first_call(
    session: AsyncSession, tenant_id: UUID, call_ids: Collection[UUID], now: datetime
) -> None:
    category = "call.first_call"
    if not await repository.has_first_completed_call(session, tenant_id, call_ids):
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
    """Each level once, until the balance is better than that again."""
    found = await repository.balance(session, tenant_id)
    if found is None:
        return
    total_micros, is_active = found
    settings = await settings_repository.of_tenant(session, tenant_id)
    alerts = await spend_alerts.settings_of(session, tenant_id)
    level = balance_level(
        total_micros,
        is_active=is_active,
        last_top_up_micros=settings.last_top_up_micros,
        low_percent=alerts.low_balance_pct,
    )
    for worse in LEVELS[LEVELS.index(level) + 1 :]:
        await repository.forget_occasion(session, tenant_id, _CATEGORY_OF_LEVEL[worse], worse)
    if level == "ok":
        return
    category = _CATEGORY_OF_LEVEL[level]
    if not await is_due(session, tenant_id, category, level, now):
        return
    is_empty = level == "depleted"
    add_notification_event(
        session,
        tenant_id,
        category,
        title="Your balance is used up" if is_empty else "Your balance is low",
        message="No further call can be paid for."
        if is_empty
        else f"${usd(total_micros):.2f} are left.",
        metadata={"balance_usd": usd(total_micros), "level": level},
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
