"""Topping up at a gateway's own pages: claim and commit, ask the gateway, finish."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import structlog

from control_plane.money.payments import repository
from control_plane.money.payments.customers import customer_of, known_customer_id
from control_plane.money.payments.errors import GatewayNotConfigured, GatewayUnavailable
from control_plane.money.payments.gateway_choice import chosen_gateway
from control_plane.money.payments.gateways.gateway import (
    BegunOrder,
    CheckoutWishes,
    GatewayRefused,
    GatewayUnclear,
    MandateWishes,
    Order,
    PaymentGateway,
    UnknownCustomer,
    Waiting,
)
from control_plane.money.payments.gateways.installed import InstalledGateways
from control_plane.money.payments.models import Payment, PaymentKind, PaymentProfile
from control_plane.money.payments.orders import claimed, micros_of, order_of, priced
from control_plane.money.payments.settling import locked, settle
from control_plane.platform.database import Database
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.settings import ControlPlaneSettings, GatewayName

FIRST_CHECK = timedelta(minutes=5)
"""When the gateway is asked for the first time what became of a checkout."""
RETURN_PATH = "/console/payments"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class TopUp:
    """What a customer wants to pay."""

    pack_usd: Decimal
    billing_country: str | None = None
    """``None``: as it was said before."""
    tax_id: str | None = None
    save_card: bool = False


@dataclass(frozen=True)
class BegunCheckout:
    payment: Payment
    gateway: GatewayName
    shown: dict[str, Any]


def gateway_of(settings: ControlPlaneSettings, profile: PaymentProfile) -> GatewayName | None:
    """``None``: the installation has none."""
    return chosen_gateway(
        settings.configured_gateways,
        preferred=profile.preferred_gateway,
        billing_country=profile.billing_country,
        of_operator=settings.payment_gateway,
    )


async def begin_checkout(
    database: Database,
    settings: ControlPlaneSettings,
    gateways: InstalledGateways,
    tenant_id: UUID,
    payment_id: UUID,
    wanted: TopUp,
    now: datetime,
) -> BegunCheckout:
    """Begin a top-up whose payment gets the id ``payment_id``. The same id begins the same one.

    Raises:
        InvalidRequest: the amount is out of the operator's range.
        GatewayNotConfigured: the installation has no gateway.
        GatewayUnavailable: the gateway does not answer as it should.
    """
    if not gateways.configured:
        raise GatewayNotConfigured
    smallest, largest = settings.smallest_top_up_usd, settings.largest_top_up_usd
    if not smallest <= wanted.pack_usd <= largest:
        raise InvalidRequest.at("pack_usd", f"must be from {smallest} to {largest}")
    said = {"billing_country": wanted.billing_country, "tax_id": wanted.tax_id}
    async with database.tenant_session(tenant_id) as session:
        await repository.note_in_profile(
            session, tenant_id, **{name: value for name, value in said.items() if value is not None}
        )
        profile = await repository.profile(session, tenant_id)
        name = gateway_of(settings, profile)
        assert name is not None, "a gateway is configured"
        amounts = await priced(session, settings, name, profile, micros_of(wanted.pack_usd))
        payment = await claimed(
            session,
            payment_id,
            Payment(
                id=payment_id,
                tenant_id=tenant_id,
                kind=PaymentKind.CHECKOUT,
                gateway=name,
                save_card=wanted.save_card,
                sent_at=now,
                next_check_at=now + FIRST_CHECK,
                **amounts,
            ),
        )
    gateway = _found(gateways, payment.gateway)
    page = f"{settings.public_url.rstrip('/')}{RETURN_PATH}"
    wishes = CheckoutWishes(
        success_url=f"{page}?payment={payment.id}",
        cancel_url=f"{page}?cancelled={payment.id}",
        save_card=payment.save_card,
    )
    try:
        customer = await customer_of(database, tenant_id)
        customer_id = await known_customer_id(database, gateway, customer)
        try:
            order = await _order_for(database, payment, customer_id)
            begun = await gateway.begin_checkout(order, wishes)
        except UnknownCustomer:
            # The operator has gone from test keys to live ones, or the customer was deleted there.
            customer_id = await known_customer_id(
                database, gateway, customer, instead_of=customer_id
            )
            order = await _order_for(database, payment, customer_id)
            begun = await gateway.begin_checkout(order, wishes)
    except (GatewayUnclear, GatewayRefused) as error:
        raise _unavailable(payment, error) from error
    await _note_begun(database, settings, payment.id, begun, now)
    return BegunCheckout(payment, gateway.name, begun.shown)


async def begin_mandate(
    database: Database,
    settings: ControlPlaneSettings,
    gateways: InstalledGateways,
    tenant_id: UUID,
    payment_id: UUID,
    *,
    first_charge_usd: Decimal,
    max_amount_usd: Decimal,
    contact: str,
    method: str | None,
    now: datetime,
) -> BegunCheckout:
    """Begin the registration of a mandate, whose first charge is a top-up.

    Raises:
        TenantNotFound: there is no such tenant.
        GatewayNotConfigured: the gateway of mandates is not configured.
        GatewayUnavailable: it does not answer as it should.
    """
    gateway = gateways.of_mandates
    if gateway is None:
        raise GatewayNotConfigured(
            "This installation takes no mandates: the gateway for India is not configured"
        )
    rate = settings.usd_to_inr_rate
    assert rate is not None, "a gateway without its rate is not configured"
    # First of all: nothing can be written for a tenant that does not exist.
    customer = replace(await customer_of(database, tenant_id), phone=contact)
    async with database.tenant_session(tenant_id) as session:
        await repository.note_in_profile(session, tenant_id, billing_phone=contact)
        profile = await repository.profile(session, tenant_id)
        amounts = await priced(
            session, settings, gateway.name, profile, micros_of(first_charge_usd)
        )
        # What tax adds to the first charge, it adds to the later ones.
        most = max(int(max_amount_usd * rate * 100), amounts["total_minor"])
        payment = await claimed(
            session,
            payment_id,
            Payment(
                id=payment_id,
                tenant_id=tenant_id,
                kind=PaymentKind.MANDATE,
                gateway=gateway.name,
                mandate_max_minor=most,
                sent_at=now,
                next_check_at=now + FIRST_CHECK,
                **amounts,
            ),
        )
    try:
        customer_id = await known_customer_id(database, gateway, customer)
        begun = await gateway.begin_mandate(
            order_of(payment, customer_id), MandateWishes(most, method)
        )
    except (GatewayUnclear, GatewayRefused) as error:
        raise _unavailable(payment, error) from error
    await _note_begun(database, settings, payment.id, begun, now)
    return BegunCheckout(payment, gateway.name, begun.shown)


async def _order_for(database: Database, payment: Payment, customer_id: str) -> Order:
    """The customer is committed before the gateway is asked, so that the payment is found there."""
    async with database.system_session() as session:
        (await locked(session, payment.id)).gateway_customer_id = customer_id
    return order_of(payment, customer_id)


async def _note_begun(
    database: Database,
    settings: ControlPlaneSettings,
    payment_id: UUID,
    begun: BegunOrder,
    now: datetime,
) -> None:
    """The gateway has the order. It may have reported the payment already."""
    async with database.system_session() as session:
        payment = await locked(session, payment_id)
        payment.gateway_order_id = begun.order_id
        await settle(session, settings, payment_id, Waiting(), now)


def _found(gateways: InstalledGateways, name: str) -> PaymentGateway:
    gateway = gateways.find(name)
    if gateway is None:
        # An earlier attempt chose it, and the operator has taken it away since.
        raise GatewayNotConfigured
    return gateway


def _unavailable(payment: Payment, error: Exception) -> GatewayUnavailable:
    _log.error(
        "gateway_failed",
        gateway=payment.gateway,
        payment_id=str(payment.id),
        error=f"{type(error).__name__}: {error}",
    )
    return GatewayUnavailable()
