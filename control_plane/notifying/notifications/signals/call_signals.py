"""What the calls of the last minutes and the balance say, with the thresholds. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from control_plane.calling.calls.ending.agent_failure import AGENT_FAILURES
from control_plane.money.billing.balance import tone

DEGRADED_WINDOW = timedelta(minutes=15)
FEWEST_CALLS = 5
"""Of an agent in the window: fewer say nothing."""
DEGRADED_SHARE = 0.3


@dataclass(frozen=True)
class EndedCall:
    end_reason: str | None
    had_switch: bool
    """Whether its event log tells of a model that took over from another. What the models used
    does not say so: a provider that refuses has used nothing, and after a handoff others talk."""


@dataclass(frozen=True)
class Degradation:
    calls: int
    failed: int
    switched: int
    """Calls that another provider had to go on with."""


def degradation(calls: Iterable[EndedCall]) -> Degradation | None:
    """How many of an agent's calls in the window went wrong, if those are too many."""
    ended = list(calls)
    failed = [call.end_reason in AGENT_FAILURES for call in ended]
    switched = [call.had_switch for call in ended]
    troubled = sum(one or other for one, other in zip(failed, switched, strict=True))
    if len(ended) < FEWEST_CALLS or troubled < DEGRADED_SHARE * len(ended):
        return None
    return Degradation(len(ended), sum(failed), sum(switched))


BalanceLevel = Literal["ok", "low", "critical", "depleted"]
LEVELS: tuple[BalanceLevel, ...] = ("ok", "low", "critical", "depleted")
"""From the best to the worst."""


def balance_level(
    total_micros: int, *, is_active: bool, last_top_up_micros: int | None, low_percent: int
) -> BalanceLevel:
    """How a balance stands: as its ``tone`` says, and ``low`` at ``low_percent`` of the last top-up
    already.

    Args:
        last_top_up_micros: ``None``: nothing was ever paid in.
        low_percent: the tenant's own, ``low_balance_pct`` of its alerts. 0: only the tone counts.
    """
    if total_micros <= 0:
        return "depleted"
    found = tone(total_micros, is_active)
    if found == "ok" and total_micros * 100 <= (last_top_up_micros or 0) * low_percent:
        return "low"
    return found
