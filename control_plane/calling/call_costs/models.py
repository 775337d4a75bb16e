"""Totals of calls' costs. Every amount is in micro-dollars."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base


class CallCostDay(Base):
    """What the calls that ended on one UTC day brought in and cost, by agent and by price row.

    The transaction that settles a call adds its part, so these totals never miss a charge.
    """

    __tablename__ = "call_cost_days"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    agent_id: Mapped[UUID] = mapped_column(primary_key=True)
    component: Mapped[str] = mapped_column(primary_key=True)
    """``stt``, ``llm``, ``tts``, ``platform`` or ``managed_sku``."""
    provider: Mapped[str] = mapped_column(primary_key=True)
    model: Mapped[str] = mapped_column(primary_key=True)
    calls: Mapped[int]
    """Calls that this price row had a part in."""
    calls_begun: Mapped[int]
    """Each call counts for one row only, its first agent's first, so that sums are right."""
    billable_ms: Mapped[int]
    revenue_micros: Mapped[int]
    planned_cost_micros: Mapped[int]
    """Of providers, at the frozen prices per minute."""
    actual_cost_micros: Mapped[int]
    """Of providers, at their unit prices, as far as it is known."""
    calls_of_unknown_cost: Mapped[int]
    """Calls of which the actual cost of this component is unknown."""
