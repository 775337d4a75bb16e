"""How a call's charge divides over the agents that served it and over their price rows. Pure.

The charge is what was posted: rounded up once, on the total. Its parts are proportional to time and
rate, and add up to it exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from contracts.call_plan import PlannedAgent, PriceRow
from control_plane.calling.calls.ending.cost_breakdown import divided
from control_plane.calling.calls.ending.served_agents import ServedAgent, tariff_of


@dataclass(frozen=True)
class PricedRow:
    row: PriceRow
    charged_micros: int | None


@dataclass(frozen=True)
class BilledAgent:
    agent: PlannedAgent
    from_ms: int
    """Connected milliseconds at which it took over."""
    billed_ms: int | None
    rows: tuple[PricedRow, ...]

    @property
    def charged_micros(self) -> int | None:
        """``None`` while the call runs."""
        if self.billed_ms is None:
            return None
        return sum(priced.charged_micros or 0 for priced in self.rows)


def telecom_micros(agents: Iterable[BilledAgent]) -> int:
    """The part of the charge that the phones' minutes cost."""
    return sum(
        priced.charged_micros or 0
        for agent in agents
        for priced in agent.rows
        if priced.row.component == "telecom"
    )


def billed(
    served: Sequence[ServedAgent], seconds: int | None, charged_micros: int | None
) -> tuple[BilledAgent, ...]:
    """The agents in the order in which they served.

    Args:
        seconds: the billable seconds that were charged; ``None`` while the call runs. Every amount
            is then ``None``.
        charged_micros: what was charged for them.
    """
    if seconds is None or charged_micros is None:
        return tuple(
            BilledAgent(agent, from_ms, None, tuple(PricedRow(row, None) for row in agent.prices))
            for agent, from_ms in served
        )
    durations_ms = tariff_of(served).durations_ms(seconds)
    shares = [
        billed_ms * row.micros_per_minute
        for (agent, _), billed_ms in zip(served, durations_ms, strict=True)
        for row in agent.prices
    ]
    parts = iter(divided(charged_micros, shares))
    return tuple(
        BilledAgent(
            agent, from_ms, billed_ms, tuple(PricedRow(row, next(parts)) for row in agent.prices)
        )
        for (agent, from_ms), billed_ms in zip(served, durations_ms, strict=True)
    )
