"""What can happen to the money of a few tenants: a step at a time, each with the place at which
its process dies. Pure."""

from __future__ import annotations

from random import Random
from typing import Literal, NamedTuple, get_args

from tests.stand_ins.payment_outcomes import ChargeKind, Reporting

What = Literal[
    "begin_calls",
    "extend_calls",
    "give_back",
    "settle_calls",
    "grant",
    "correct",
    "debit",
    "begin_month",
    "switch",
    "recharge",
    "checkout",
    "pay",
    "refund",
    "fail_refund",
    "dispute",
    "win_dispute",
    "events_again",
    "reconcile",
    "reconcile_reversals",
    "reconcile_captures",
]
OFTEN: tuple[What, ...] = (
    *("begin_calls", "settle_calls") * 5,
    *("extend_calls",) * 6,
    *("give_back",) * 2,
)
"""Most of what happens are calls."""
WHAT: tuple[What, ...] = (*get_args(What), *OFTEN)
CHARGES: tuple[ChargeKind, ...] = get_args(ChargeKind)
REPORTING: tuple[Reporting, ...] = get_args(Reporting)
MOST_AT_ONCE = 64
LARGEST = 255
LAST_DEATH = 12


class Step(NamedTuple):
    what: What
    how_many: int
    """How many calls or events, from 1 to ``MOST_AT_ONCE``."""
    who: int
    amount: int
    """Both up to ``LARGEST``, scaled to what the step needs."""
    dies_at: int
    """0: nowhere. Odd: before a commit, else after one, of the transactions in their order."""
    charge: ChargeKind
    reporting: Reporting


def random_step(random: Random) -> Step:
    return Step(
        random.choice(WHAT),
        random.randint(1, MOST_AT_ONCE),
        random.randint(0, LARGEST),
        random.randint(0, LARGEST),
        random.choice((0, random.randint(1, LAST_DEATH))),
        random.choice(CHARGES),
        random.choice(REPORTING),
    )
