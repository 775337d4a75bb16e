"""A tenant's two buckets of credit, and the order in which they are used up. Pure.

Free credit is used first, then purchased credit. Source: API spec, "Billing", rules of the balance.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Buckets:
    """Micro-dollars in each bucket, or an amount taken from or added to each."""

    free_micros: int
    purchased_micros: int

    @property
    def total_micros(self) -> int:
        return self.free_micros + self.purchased_micros

    def __add__(self, other: Buckets) -> Buckets:
        return Buckets(
            self.free_micros + other.free_micros, self.purchased_micros + other.purchased_micros
        )

    def __neg__(self) -> Buckets:
        return Buckets(-self.free_micros, -self.purchased_micros)


def draw(balance: Buckets, amount_micros: int) -> Buckets:
    """The parts of ``amount_micros`` that come from each bucket of ``balance``.

    An amount that neither bucket covers becomes a debt in the purchased bucket. No call makes one;
    an operator's correction can.

    Raises:
        ValueError: ``amount_micros`` is negative.
    """
    if amount_micros < 0:
        raise ValueError(f"amount_micros must be 0 or more, got {amount_micros}")
    from_free = min(amount_micros, max(0, balance.free_micros))
    return Buckets(from_free, amount_micros - from_free)
