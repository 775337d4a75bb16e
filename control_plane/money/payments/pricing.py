"""What a top-up costs in the currency of a gateway. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal

from contracts.money import MICROS_PER_CREDIT
from control_plane.money.invoices.tax import Taxed, TaxRule, taxed
from control_plane.money.payments.gateways.gateway import CURRENCIES
from control_plane.platform.settings import GatewayName, PaymentSettings

_MICROS_PER_CENT = MICROS_PER_CREDIT


@dataclass(frozen=True)
class Quote:
    currency: str
    taxed: Taxed
    credit_micros: int
    bonus_micros: int


def cents_of(micros: int) -> int:
    return micros // _MICROS_PER_CENT


def quote(
    credit_micros: int,
    bonus_cents: int,
    gateway: GatewayName,
    settings: PaymentSettings,
    rules: Sequence[TaxRule],
    tax_id: str | None,
) -> Quote:
    """The price of ``credit_micros`` of credit, which are whole cents, with its taxes.

    A gateway that does not charge dollars gets the amount at the operator's rate.
    """
    currency = CURRENCIES[gateway]
    minor = cents_of(credit_micros)
    if currency == "INR":
        rate = settings.usd_to_inr_rate
        assert rate is not None, "a gateway without its rate is not configured"
        minor = int((minor * rate).quantize(Decimal(1), ROUND_HALF_UP))
    return Quote(
        currency, taxed(minor, rules, tax_id), credit_micros, bonus_cents * _MICROS_PER_CENT
    )
