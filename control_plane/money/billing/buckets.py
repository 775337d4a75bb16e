"""A tenant's three buckets of credit, and the order in which they are used up. Pure.

Plan credit is used first, because it expires with the month. Then comes free credit, such as the
welcome credit, and then what was bought. Source: API spec, "Billing", rules of the balance.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Buckets:
    """Micro-dollars in each bucket, or an amount taken from or added to each."""

    free_micros: int
    purchased_micros: int
    plan_micros: int = 0

    @property
    def total_micros(self) -> int:
        return self.plan_micros + self.free_micros + self.purchased_micros

    @property
    def included_micros(self) -> int:
        """What was not bought. Without extra usage, calls stop when it is used up."""
        return self.plan_micros + self.free_micros

    def __add__(self, other: Buckets) -> Buckets:
        return Buckets(
            self.free_micros + other.free_micros,
            self.purchased_micros + other.purchased_micros,
            self.plan_micros + other.plan_micros,
        )

    def __neg__(self) -> Buckets:
        return Buckets(-self.free_micros, -self.purchased_micros, -self.plan_micros)

    def __sub__(self, other: Buckets) -> Buckets:
        return self + -other


NOTHING = Buckets(0, 0)


def spendable_micros(available: Buckets, *, extra_usage: bool) -> int:
    """What calls may still reserve of what no call holds.

    Without extra usage that is only what was not bought. A debt in the purchased bucket counts in
    any case.
    """
    purchased = available.purchased_micros if extra_usage else min(0, available.purchased_micros)
    return available.included_micros + purchased


def draw(balance: Buckets, amount_micros: int) -> Buckets:
    """The parts of ``amount_micros`` that come from each bucket of ``balance``.

    An amount that no bucket covers becomes a debt in the purchased bucket. No call makes one; an
    operator's correction, a refund or a dispute can.

    Raises:
        ValueError: ``amount_micros`` is negative.
    """
    if amount_micros < 0:
        raise ValueError(f"amount_micros must be 0 or more, got {amount_micros}")
    from_plan = min(amount_micros, max(0, balance.plan_micros))
    from_free = min(amount_micros - from_plan, max(0, balance.free_micros))
    return Buckets(from_free, amount_micros - from_plan - from_free, from_plan)


def draw_held(balance: Buckets, held: Buckets, own: Buckets, amount_micros: int) -> Buckets:
    """As ``draw``, for a call that holds ``own``, which is a part of all that is ``held``.

    It takes what it holds first, as far as the buckets have it, then what nobody holds. So a charge
    never takes what another call holds in a bucket.

    Raises:
        ValueError: ``amount_micros`` is negative.
    """
    first = draw(_at_most(own, balance), min(amount_micros, _at_most(own, balance).total_micros))
    return first + draw(balance - held, amount_micros - first.total_micros)


def _at_most(part: Buckets, balance: Buckets) -> Buckets:
    return Buckets(
        max(0, min(part.free_micros, balance.free_micros)),
        max(0, min(part.purchased_micros, balance.purchased_micros)),
        max(0, min(part.plan_micros, balance.plan_micros)),
    )
