"""Taxes on an amount, in minor units of its currency. Pure.

A country may have several taxes, for example two halves of a goods and services tax. What is
already in a price is taken out of it; what is not comes on top.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from itertools import accumulate, pairwise
from typing import Any


@dataclass(frozen=True)
class TaxRule:
    kind: str
    """What it is called, such as ``VAT``."""
    percent: Decimal
    is_inclusive: bool
    """Whether prices contain it."""
    reverse_charge: bool
    """Whether a customer with a tax id owes it, and not the seller."""


@dataclass(frozen=True)
class Tax:
    kind: str
    percent: Decimal
    amount_minor: int
    is_reverse_charged: bool

    @property
    def document(self) -> dict[str, Any]:
        return {
            "kind": self.kind,
            "percent": float(self.percent),
            "amount_minor": self.amount_minor,
            "is_reverse_charged": self.is_reverse_charged,
        }


@dataclass(frozen=True)
class Taxed:
    """``subtotal_minor`` and the taxes add up to ``total_minor``."""

    subtotal_minor: int
    taxes: tuple[Tax, ...]
    total_minor: int

    @property
    def tax_minor(self) -> int:
        return self.total_minor - self.subtotal_minor


def taxed(price_minor: int, rules: Sequence[TaxRule], tax_id: str | None) -> Taxed:
    """What a customer pays for something whose listed price is ``price_minor``, at least 0.

    A tax that the customer owes is shown with 0, and the listed price stays what is paid.
    """
    owed = [rule for rule in rules if not (rule.reverse_charge and tax_id)]
    inclusive = sum((rule.percent for rule in owed if rule.is_inclusive), Decimal(0))
    subtotal = _rounded(Decimal(price_minor) / (1 + inclusive / 100))
    # Rounded together, so that the parts of a price add up to it.
    contained = _parts(price_minor - subtotal, [rule.percent for rule in owed if rule.is_inclusive])
    taxes = []
    for rule in rules:
        if rule not in owed:
            amount = 0
        elif rule.is_inclusive:
            amount = contained.pop(0)
        else:
            amount = _rounded(subtotal * rule.percent / 100)
        taxes.append(Tax(rule.kind, rule.percent, amount, rule not in owed))
    return Taxed(subtotal, tuple(taxes), subtotal + sum(tax.amount_minor for tax in taxes))


def share(amount: int, part: int, whole: int) -> int:
    """``amount`` times ``part`` divided by ``whole``, rounded half up. ``whole`` is above 0."""
    return (2 * amount * part + whole) // (2 * whole)


def shares(amounts: Sequence[int], part: int, whole: int) -> list[int]:
    """The share of each of ``amounts``; they add up to the share of their sum."""
    cuts = [share(bound, part, whole) for bound in accumulate(amounts, initial=0)]
    return [after - before for before, after in pairwise(cuts)]


def _parts(amount: int, weights: Sequence[Decimal]) -> list[int]:
    """``amount`` divided by ``weights``; the parts add up to it."""
    total = sum(weights, Decimal(0))
    bounds = [Decimal(0)]
    for weight in weights:
        bounds.append(bounds[-1] + weight)
    cuts = [_rounded(amount * bound / total) if total else 0 for bound in bounds]
    return [after - before for before, after in pairwise(cuts)]


def _rounded(amount: Decimal) -> int:
    return int(amount.quantize(Decimal(1), ROUND_HALF_UP))
