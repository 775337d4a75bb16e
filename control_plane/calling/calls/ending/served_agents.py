"""Which agents served a call, how long, and at which rates. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from contracts.call_plan import CallPlan, PlannedAgent
from contracts.money import usd
from control_plane.money.billing.tariff import Rate, Tariff


class ServedAgent(NamedTuple):
    agent: PlannedAgent
    from_ms: int
    """Connected milliseconds at which it took over; 0 for the first agent."""


def served_agents(
    plan: CallPlan, takeovers: Iterable[Mapping[str, Any]]
) -> tuple[ServedAgent, ...]:
    """The agents in the order in which they talked; one that came back is there again.

    Args:
        takeovers: ``Call.takeovers``.
    """
    agents = plan.agents
    served = [ServedAgent(agents[plan.agent_id], 0)]
    for takeover in takeovers:
        # No clock of a worker makes time run backwards on a bill.
        from_ms = max(takeover["from_ms"], served[-1].from_ms)
        served.append(ServedAgent(agents[UUID(takeover["agent_id"])], from_ms))
    return tuple(served)


def tariff_of(served: Sequence[ServedAgent]) -> Tariff:
    return Tariff(tuple(Rate(from_ms, each.rate_micros_per_minute) for each, from_ms in served))


def billed_agents(served: Sequence[ServedAgent]) -> list[dict[str, Any]]:
    """What the bill of each agent follows from, for the ledger entry."""
    return [
        {
            "agent_id": str(each.agent_id),
            "agent_version": each.agent_version,
            "agent_name": each.name,
            "from_ms": from_ms,
            "rate_micros_per_minute": each.rate_micros_per_minute,
            "prices": [row.model_dump(mode="json") for row in each.prices],
        }
        for each, from_ms in served
    ]


def in_words(served: Sequence[ServedAgent], seconds: int) -> str:
    """What a charge for ``seconds`` is made of: ``34.250 s of Desk at $0.020000 a minute``."""
    durations_ms = tariff_of(served).durations_ms(seconds)
    return ", ".join(
        f"{billed_ms / 1000:.3f} s of {each.name} at ${usd(each.rate_micros_per_minute):.6f} "
        "a minute"
        for (each, _), billed_ms in zip(served, durations_ms, strict=True)
    )
