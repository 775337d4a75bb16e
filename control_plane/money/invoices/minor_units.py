"""Amounts in the minor units of a currency, for people. Pure. Source: ISO 4217, and Stripe's
documentation where its amounts are in other units."""

from __future__ import annotations

_WITHOUT_DIGITS = "BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF"
_WITH_THREE_DIGITS = "BHD JOD KWD OMR TND"
DIGITS = {
    **dict.fromkeys(_WITHOUT_DIGITS.split(), 0),
    **dict.fromkeys(_WITH_THREE_DIGITS.split(), 3),
}
"""How many decimal digits the minor unit of a currency has, where it has not two."""


def shown(amount_minor: int, currency: str) -> str:
    """``USD 1,234.50``; a currency's code is readable in every font."""
    digits = DIGITS.get(currency, 2)
    sign = "-" if amount_minor < 0 else ""
    whole, rest = divmod(abs(amount_minor), 10**digits)
    return f"{currency} {sign}{whole:,}" + (f".{rest:0{digits}d}" if digits else "")
