"""From a payment in our tables to what a gateway is asked."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import MICROS_PER_USD, usd
from control_plane.money.invoices.repository import rules_of
from control_plane.money.payments import repository
from control_plane.money.payments.gateways.gateway import Order
from control_plane.money.payments.models import Payment, PaymentProfile
from control_plane.money.payments.pricing import cents_of, quote
from control_plane.platform.settings import GatewayName, PaymentSettings


def order_of(payment: Payment, customer_id: str | None) -> Order:
    return Order(
        payment_id=payment.id,
        tenant_id=payment.tenant_id,
        total_minor=payment.total_minor,
        description=f"Prepaid credit for ${usd(payment.credit_micros):.2f} of use",
        created_at=payment.created_at or datetime.now(UTC),
        customer_id=customer_id,
        order_id=payment.gateway_order_id,
    )


async def priced(
    session: AsyncSession,
    settings: PaymentSettings,
    gateway: GatewayName,
    profile: PaymentProfile,
    credit_micros: int,
) -> dict[str, Any]:
    """The amounts of a payment, as fields of ``Payment``, by today's packs, rate and taxes."""
    bonus = await repository.bonus_cents(session, cents_of(credit_micros))
    rules = await rules_of(session, profile.billing_country)
    priced = quote(credit_micros, bonus, gateway, settings, rules, profile.tax_id)
    return {
        "currency": priced.currency,
        "subtotal_minor": priced.taxed.subtotal_minor,
        "tax_minor": priced.taxed.tax_minor,
        "total_minor": priced.taxed.total_minor,
        "credit_micros": priced.credit_micros,
        "bonus_micros": priced.bonus_micros,
        "taxes": [tax.document for tax in priced.taxed.taxes],
        "billing_country": profile.billing_country,
        "tax_id": profile.tax_id,
    }


def micros_of(amount_usd: Decimal) -> int:
    """Whole cents."""
    return int(amount_usd * MICROS_PER_USD)


async def claimed(session: AsyncSession, payment_id: UUID, wanted: Payment) -> Payment:
    """The payment with this id: ``wanted``, or what an earlier attempt with the same
    ``Idempotency-Key`` has claimed before its process died."""
    before = await repository.find(session, payment_id)
    if before is not None:
        return before
    session.add(wanted)
    await session.flush()
    await session.refresh(wanted)
    return wanted
