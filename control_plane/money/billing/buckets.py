"""A tenant's two buckets of credit, and the order in which they are used up. Pure.

The included (free) credit goes first, then what the tenant bought. Source: API spec, "Billing",
rules of the balance.
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
    """How ``amount_micros`` is taken from ``balance``: free credit first, the rest purchased.

    What neither bucket covers is owed by the purchased one. That happens only to a call that was
    served while its reserve could not be extended because the control plane was away.

    Raises:
        ValueError: ``amount_micros`` is negative.
    """
    if amount_micros < 0:
        raise ValueError(f"amount_micros must be 0 or more, got {amount_micros}")
    from_free = min(amount_micros, max(0, balance.free_micros))
    return Buckets(from_free, amount_micros - from_free)
