"""The queries behind what is told after calls. For jobs: they concern every tenant."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, exists, func, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.models import Agent
from control_plane.calling.calls.models import Call, CallLogEntry
from control_plane.money.billing.buckets import spendable_micros
from control_plane.money.billing.models import BillingAccount
from control_plane.notifying.notifications.models import NotificationOccasion
from control_plane.notifying.notifications.signals.call_signals import EndedCall

LONGEST_CALL = timedelta(hours=2)
MOST_CALLS = 1_000
"""Enough to judge an agent by."""


async def has_first_completed_call(
    session: AsyncSession, tenant_id: UUID, call_ids: Collection[UUID]
) -> bool:
    """Whether one of the calls ended before all other completed calls of the tenant. How many there
    are does not say so: the next ones may be over before this one is told."""
    ended_at = await session.scalar(
        select(func.min(Call.ended_at)).where(Call.tenant_id == tenant_id, Call.id.in_(call_ids))
    )
    if ended_at is None:
        return False
    earlier = await session.scalar(
        select(Call.id)
        .where(Call.tenant_id == tenant_id, Call.status == "completed", Call.ended_at < ended_at)
        .limit(1)
    )
    return earlier is None


async def calls_ended_since(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, since: datetime
) -> Sequence[EndedCall]:
    had_switch = exists().where(
        # The key of the partitions, and of an index in each.
        CallLogEntry.call_id == Call.id,
        CallLogEntry.tenant_id == Call.tenant_id,
        CallLogEntry.switch.is_not(None),
    )
    rows = await session.execute(
        select(Call.end_reason, had_switch)
        .where(
            Call.tenant_id == tenant_id,
            Call.agent_id == agent_id,
            # Calls take two hours at most, and lists of calls have an index by this time.
            Call.created_at > since - LONGEST_CALL,
            Call.ended_at > since,
        )
        .limit(MOST_CALLS)
    )
    return [EndedCall(reason, switched) for reason, switched in rows]


async def other_payers(session: AsyncSession, call_ids: Sequence[UUID]) -> set[UUID]:
    """Who paid for those of the calls that their own tenants did not pay."""
    found = await session.scalars(
        select(Call.payer_tenant_id).where(Call.id.in_(call_ids), Call.payer_tenant_id.is_not(None))
    )
    return {payer for payer in found if payer is not None}


async def agent_name(session: AsyncSession, agent_id: UUID) -> str | None:
    found: str | None = await session.scalar(select(Agent.name).where(Agent.id == agent_id))
    return found


async def balance(session: AsyncSession, tenant_id: UUID) -> tuple[int, bool] | None:
    """What calls can be paid from, in micro-dollars, and whether the account is active; ``None``:
    it has none. Without extra usage, top-ups pay for no calls."""
    account = await session.get(BillingAccount, tenant_id)
    if account is None:
        return None
    usable = spendable_micros(account.buckets, extra_usage=account.extra_usage)
    return usable, account.is_active


async def forget_occasion(
    session: AsyncSession, tenant_id: UUID, category: str, occasion: str
) -> None:
    """What was told may be told again."""
    await session.execute(
        delete(NotificationOccasion).where(
            NotificationOccasion.tenant_id == tenant_id,
            NotificationOccasion.event_category == category,
            NotificationOccasion.occasion == occasion,
        )
    )
