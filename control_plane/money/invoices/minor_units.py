"""Amounts in the minor units of a currency, for people. Pure. Source: ISO 4217."""

from __future__ import annotations

DIGITS = {"USD": 2, "INR": 2}
"""How many decimal digits the minor unit of each currency that we charge has."""


def shown(amount_minor: int, currency: str) -> str:
    """``USD 1,234.50``; a currency's code is readable in every font."""
    digits = DIGITS[currency]
    sign = "-" if amount_minor < 0 else ""
    whole, rest = divmod(abs(amount_minor), 10**digits)
    return f"{currency} {sign}{whole:,}.{rest:0{digits}d}"
