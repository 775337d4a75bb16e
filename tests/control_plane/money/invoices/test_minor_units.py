from __future__ import annotations

import pytest

from control_plane.money.invoices.minor_units import shown


@pytest.mark.parametrize(
    ("amount_minor", "currency", "words"),
    [
        (123_450, "USD", "USD 1,234.50"),
        (-5, "INR", "INR -0.05"),
        (1850, "EUR", "EUR 18.50"),
        (3_000, "JPY", "JPY 3,000"),
        (6_140, "KWD", "KWD 6.140"),
    ],
)
def test_every_currency_has_its_own_digits(amount_minor: int, currency: str, words: str) -> None:
    assert shown(amount_minor, currency) == words
