"""The queries behind what is told after calls. For jobs: they concern every tenant."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import delete, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.models import Agent
from control_plane.calling.calls.models import Call
from control_plane.money.billing.buckets import spendable_micros
from control_plane.money.billing.models import BillingAccount
from control_plane.notifying.notifications.models import NotificationOccasion
from control_plane.notifying.notifications.signals.call_signals import EndedCall

LONGEST_CALL = timedelta(hours=2)
MOST_CALLS = 1_000
"""Enough to judge an agent by."""


async def has_one_completed_call(session: AsyncSession, tenant_id: UUID) -> bool:
    completed = await session.scalars(
        select(Call.id).where(Call.tenant_id == tenant_id, Call.status == "completed").limit(2)
    )
    return len(completed.all()) == 1


async def calls_ended_since(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, since: datetime
) -> Sequence[EndedCall]:
    rows = await session.execute(
        select(Call.end_reason, Call.usage, Call.takeovers)
        .where(
            Call.tenant_id == tenant_id,
            Call.agent_id == agent_id,
            # Calls take two hours at most, and lists of calls have an index by this time.
            Call.created_at > since - LONGEST_CALL,
            Call.ended_at > since,
        )
        .limit(MOST_CALLS)
    )
    return [EndedCall(reason, usage, bool(takeovers)) for reason, usage, takeovers in rows]


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
