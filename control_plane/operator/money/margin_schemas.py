"""What calls brought in and what providers cost, for the operator."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import BaseModel, Field


class MarginGroup(BaseModel):
    key: str = Field(description="A tenant's or agent's id, `component/provider/model` or a day.")
    calls: int
    minutes: float
    revenue_usd: float
    planned_cost_usd: float = Field(
        description="Of providers, at the price rows that the calls froze."
    )
    actual_cost_usd: float = Field(
        description="Of providers, at their unit prices, as far as these are known."
    )
    calls_of_unknown_cost: int = Field(
        description="How often the cost of a price row's models is unknown: their unit prices are "
        "not in the catalogue, or no use was reported."
    )
    planned_margin_usd: float
    actual_margin_usd: float


class MarginReport(BaseModel):
    """Of calls, by the UTC day on which they ended."""

    by: Literal["tenant", "agent", "model", "day"]
    from_: date = Field(serialization_alias="from")
    to: date
    total: MarginGroup = Field(
        description="Of all calls of the period, each counted once, also if there are more groups."
    )
    groups: list[MarginGroup] = Field(
        description="The most revenue first, the newest days in their order; 1,000 at most."
    )
