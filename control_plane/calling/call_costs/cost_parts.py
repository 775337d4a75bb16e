"""How one call's revenue and costs divide over its agents and price rows. Pure.

Revenue is the charge, divided as on the call's bill. What the providers are planned to cost is the
frozen price of each channel. What they really cost is known for each channel, and is divided over
the agents in proportion to what the channel was charged for each. Where one row is for several
channels, as with a managed SKU, it gets all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from control_plane.calling.calls.ending.bill import BilledAgent
from control_plane.calling.calls.ending.cost_breakdown import CHANNELS, divided

WHOLE = "managed_sku"


@dataclass(frozen=True)
class CostPart:
    agent_id: UUID
    component: str
    provider: str
    model: str
    calls_begun: int
    billable_ms: int
    revenue_micros: int
    planned_cost_micros: int
    actual_cost_micros: int
    is_cost_unknown: bool


@dataclass(frozen=True)
class _Row:
    agent: BilledAgent
    component: str
    provider: str
    model: str
    charged_micros: int


def cost_parts(
    agents: Sequence[BilledAgent], actual_micros: Mapping[str, int | None]
) -> list[CostPart]:
    """
    Args:
        agents: as billed when the call was over.
        actual_micros: by channel; ``None`` for a channel whose cost is unknown.
    """
    rows = list(_rows(agents))
    actual = [0] * len(rows)
    unknown = [False] * len(rows)
    for channel in CHANNELS:
        cost = actual_micros.get(channel)
        bearers = (
            [index for index, row in enumerate(rows) if row.component == channel]
            or [index for index, row in enumerate(rows) if row.component == WHOLE]
            or [index for index, row in enumerate(rows) if row.component == "llm"]
        )
        for index in bearers:
            unknown[index] = unknown[index] or cost is None
        if bearers and cost:
            shares = [rows[index].charged_micros for index in bearers]
            for index, part in zip(bearers, divided(cost, shares), strict=True):
                actual[index] += part
    return [
        CostPart(
            agent_id=row.agent.agent.agent_id,
            component=row.component,
            provider=row.provider,
            model=row.model,
            calls_begun=int(index == 0),
            billable_ms=row.agent.billed_ms or 0,
            revenue_micros=row.charged_micros,
            planned_cost_micros=row.charged_micros if row.component in CHANNELS else 0,
            actual_cost_micros=actual[index],
            is_cost_unknown=unknown[index],
        )
        for index, row in enumerate(rows)
    ]


def _rows(agents: Sequence[BilledAgent]) -> Iterator[_Row]:
    for agent in agents:
        for priced in agent.rows:
            row = priced.row
            yield _Row(agent, row.component, row.provider, row.model, priced.charged_micros or 0)
