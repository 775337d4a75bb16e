"""Latencies by day on the wire."""

from __future__ import annotations

from datetime import date

from pydantic import BaseModel, Field


class DayLatencyView(BaseModel):
    date: date
    turns: int = Field(description="Turns of agents whose latency is known.")
    p50_ms: int | None = Field(
        description="Half of the turns were answered at least so fast; `null` without turns."
    )
    p95_ms: int | None


class DailyLatencies(BaseModel):
    """From the end of what the caller said until the agent was heard, in milliseconds."""

    time_zone: str
    days: list[DayLatencyView] = Field(description="Oldest first; today is the last.")
