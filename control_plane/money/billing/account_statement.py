"""A tenant's balance and transactions, as responses."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import MICROS_PER_CREDIT, usd
from control_plane.money.billing import balance as rules
from control_plane.money.billing import repository
from control_plane.money.billing.models import LedgerEntry
from control_plane.money.billing.schemas import Balance, Transaction
from control_plane.platform.tenancy.directories import AgentDirectory, CallDirectory


async def balance_of(
    session: AsyncSession,
    tenant_id: UUID,
    now: datetime,
    agents: AgentDirectory,
    calls: CallDirectory,
) -> Balance:
    """The tenant's balance. ``now`` (with a time zone) decides which seven full UTC days count as
    recent."""
    today = now.astimezone(UTC).date()
    found, spent = await repository.account_and_daily_charges(
        session, tenant_id, today - timedelta(days=rules.SPEND_WINDOW_DAYS), today
    )
    account = found or repository.empty_account(tenant_id)
    has_calls = await calls.has_calls(session, tenant_id)
    total = account.buckets.total_micros
    daily_spend_usd = rules.recent_daily_spend_usd(spent)
    return Balance(
        tenant_id=tenant_id,
        balance_seconds=rules.reference_seconds(total),
        balance_usd=usd(total),
        balance_cents=total // MICROS_PER_CREDIT,
        balance_credits=rules.credits_of(total),
        purchased_credits=rules.credits_of(account.purchased_micros),
        free_credits=rules.credits_of(account.buckets.included_micros),
        plan_credits=rules.credits_of(account.plan_micros),
        active_bucket=rules.active_bucket(account.buckets),
        held_usd=usd(account.held_micros),
        available_usd=usd(account.spendable_micros),
        estimated_minutes_remaining=rules.reference_minutes(total),
        topup_minutes_remaining=rules.reference_minutes(account.purchased_micros),
        is_active=account.is_active,
        tone=rules.tone(total, account.is_active),
        tenant_state=rules.tenant_state(
            # Who has calls has agents, or had some: that is not asked.
            has_agents=has_calls or await agents.has_agents(session, tenant_id),
            has_calls=has_calls,
        ),
        recent_daily_spend_usd=daily_spend_usd,
        runway_days_estimate=rules.runway_days(usd(total), daily_spend_usd),
    )


def transaction_view(entry: LedgerEntry) -> Transaction:
    return Transaction.model_validate(
        {
            "id": entry.id,
            "call_id": entry.call_id,
            "amount_seconds": entry.amount_seconds,
            "amount_usd": usd(entry.amount_micros),
            "transaction_type": entry.transaction_type,
            "description": entry.description,
            "metadata": entry.details,
            "created_at": entry.created_at,
        }
    )
