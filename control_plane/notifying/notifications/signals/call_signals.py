"""What the calls of the last minutes and the balance say, with the thresholds. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal

from control_plane.calling.calls.ending.agent_failure import AGENT_FAILURES
from control_plane.money.billing.balance import tone

DEGRADED_WINDOW = timedelta(minutes=15)
FEWEST_CALLS = 5
"""Of an agent in the window: fewer say nothing."""
DEGRADED_SHARE = 0.3


@dataclass(frozen=True)
class EndedCall:
    end_reason: str | None
    usage: Mapping[str, Any]
    """By ``"<channel>/<provider>/<model>"``."""
    had_handoff: bool


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
    switched = [_switched(call) for call in ended]
    troubled = sum(one or other for one, other in zip(failed, switched, strict=True))
    if len(ended) < FEWEST_CALLS or troubled < DEGRADED_SHARE * len(ended):
        return None
    return Degradation(len(ended), sum(failed), sum(switched))


def _switched(call: EndedCall) -> bool:
    """After a handoff, other models are what the next agent has."""
    by_channel = Counter(key.partition("/")[0] for key in call.usage)
    return not call.had_handoff and any(models > 1 for models in by_channel.values())


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
