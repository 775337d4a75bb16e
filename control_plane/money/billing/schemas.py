"""Responses of the billing routes. Source: API spec, "Billing records"."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from control_plane.money.billing.balance import TenantState, Tone
from control_plane.money.billing.posting import TransactionType


class Balance(BaseModel):
    """The `balance_…` fields are sums of the ledger. Seconds and minutes are counted at the
    reference rate."""

    tenant_id: UUID
    balance_seconds: int
    balance_usd: float
    balance_cents: int
    balance_credits: float
    purchased_credits: float
    free_credits: float
    held_usd: float = Field(description="Reserved by running calls.")
    available_usd: float = Field(
        description="What new calls can reserve: the balance without what is held."
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
    `description` why."""

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
