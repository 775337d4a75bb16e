"""What ``/v1/billing/plan`` and ``/v1/billing/extra-usage`` say. Source: API spec, "Billing"."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool


class PlanView(BaseModel):
    id: str
    display_name: str
    monthly_credit_cents: int
    byok_allowed: bool


class PlanOfTenant(BaseModel):
    plan_id: str
    plan: PlanView
    monthly_credit_remaining_cents: int
    monthly_credit_resets_at: datetime | None = Field(
        description="When what is left of it expires and the next month's is granted. null: the "
        "plan includes no credit."
    )
    topup_balance_cents: int = Field(description="Below 0 for a debt, for example after a refund.")
    extra_usage_enabled: bool
    plan_active_since: datetime
    preferred_gateway: str | None
    preferred_currency: str
    usd_to_inr_rate: float | None
    billing_mode: Literal["prepaid_only"] = "prepaid_only"


class ExtraUsage(BaseModel):
    model_config = ConfigDict(extra="forbid", json_schema_extra={"example": {"enabled": False}})
    enabled: StrictBool
