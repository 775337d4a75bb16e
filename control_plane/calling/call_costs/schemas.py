"""What calls brought in and cost, on the wire. Source: API spec, "Billing"."""

from __future__ import annotations

from datetime import date, datetime
from typing import Literal
from uuid import UUID

from pydantic import BaseModel, Field


class CallCostView(BaseModel):
    """A call that started and is over, in dollars."""

    id: UUID
    started_at: datetime
    agent_id: UUID
    agent_name: str
    duration_seconds: int = Field(description="Billable seconds.")
    customer_revenue: float = Field(description="What the call was charged with.")
    provider_cost: float = Field(
        description="The part of the charge that is for the models, at the call's frozen prices. "
        "What a model on your own key costs is not in it."
    )
    gross_margin: float = Field(
        description="The rest: the platform's fee, or all of a managed SKU."
    )


class CallCosts(BaseModel):
    calls: list[CallCostView] = Field(description="Newest first.")


class SpendGroup(BaseModel):
    key: str = Field(
        description="A day, an agent's id, or `component/provider/model`. `shared`: the calls that "
        "you paid as a tester of somebody else's agents."
    )
    name: str | None = Field(description="The agent's name.")
    calls: int
    minutes: float = Field(description="Billable minutes.")
    spend_usd: float


class Spend(BaseModel):
    """What calls cost, by the UTC day on which they ended."""

    by: Literal["day", "agent", "model"]
    from_: date = Field(serialization_alias="from")
    to: date
    total_usd: float = Field(
        description="Of all calls of the period, also if there are more groups."
    )
    groups: list[SpendGroup] = Field(
        description="The most expensive first, the newest days in their order; 1,000 at most."
    )
