"""Responses of the billing routes. Source: API spec, "Billing records"."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, Field

from control_plane.money.billing.balance import ActiveBucket, TenantState, Tone
from control_plane.money.billing.transaction_types import TransactionType


class Balance(BaseModel):
    """The `balance_…` fields are sums of the ledger. Seconds and minutes are counted at the
    reference rate."""

    tenant_id: UUID
    balance_seconds: int
    balance_usd: float
    balance_cents: int
    balance_credits: float
    purchased_credits: float
    free_credits: float = Field(description="All that was not bought: plan and free credit.")
    plan_credits: float = Field(
        description="The part of `free_credits` that the plan granted for this month."
    )
    active_bucket: ActiveBucket = Field(
        description="What calls are paid from now: `included` is plan credit, then free credit."
    )
    held_usd: float = Field(description="Reserved by running calls.")
    available_usd: float = Field(
        description="What calls can still reserve: the balance without what is held and, without "
        "extra usage, without top-up credit."
    )
    estimated_minutes_remaining: float
    topup_minutes_remaining: float
    is_active: bool
    tone: Tone
    tenant_state: TenantState
    recent_daily_spend_usd: float | None
    runway_days_estimate: float | None


class Transaction(BaseModel):
    """Positive amounts add to your balance. The operator posts debits and corrections, and says in
    `description` why. Plan credit is a `grant` each month, and what was not used of it an
    `expiry`."""

    id: UUID
    call_id: UUID | None
    amount_seconds: int
    amount_usd: float
    transaction_type: TransactionType
    description: str
    metadata: dict[str, Any]
    created_at: datetime


class Transactions(BaseModel):
    transactions: list[Transaction]


class Saved(BaseModel):
    ok: Literal[True] = True
