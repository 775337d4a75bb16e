"""Alerts on the wire. Source: API spec, "Billing" and "Billing records"."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictFloat, StrictInt

from control_plane.money.spend_alerts.rules import AlertType, Severity

MOST_THRESHOLDS = 10
"""API spec, "Limits"."""
Threshold = Annotated[StrictFloat, Field(ge=0.01, le=1_000_000, allow_inf_nan=False)]


class Alerts(BaseModel):
    thresholds_usd: list[float]
    low_balance_pct: int
    email_enabled: bool


class AlertsWanted(BaseModel):
    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "thresholds_usd": [50, 200],
                "low_balance_pct": 20,
                "email_enabled": True,
            }
        },
    )
    thresholds_usd: list[Threshold] = Field(
        max_length=MOST_THRESHOLDS,
        description="You are alerted when calls have cost so much since the month began (UTC).",
    )
    low_balance_pct: StrictInt = Field(
        ge=0,
        le=100,
        description="You are alerted when the balance is at or below this percent of the last "
        "top-up. 0: never.",
    )
    email_enabled: StrictBool = Field(
        description="Whether owners and admins get each alert as a mail, too."
    )


class SpendAlertView(BaseModel):
    """`monthly_spend`: a threshold was reached. `low_balance`: `amount_usd` is the balance.
    `hourly_velocity`: calls cost `amount_usd` within an hour, which is unusual for you."""

    id: UUID
    alert_type: AlertType
    severity: Severity
    amount_usd: float
    threshold_usd: float
    created_at: datetime
    acknowledged_at: datetime | None


class SpendAlerts(BaseModel):
    unacknowledged: list[SpendAlertView] = Field(description="Newest first.")
    recent: list[SpendAlertView] = Field(description="The latest ten acknowledged.")


class Acknowledged(BaseModel):
    id: UUID
    acknowledged_at: datetime
