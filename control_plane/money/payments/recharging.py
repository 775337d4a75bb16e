"""Charging a saved method while nobody is there. At most one charge of a tenant is in flight.

The transaction that lowers the credit below the threshold adds the job. The job does three steps:

1. **Claim**: a payment with an id of its own, unless one is in flight or the credit is high enough.
2. **Send**, once: the payment notes that the gateway is asked from now on, and commits. Then the
   gateway is asked, with the payment's id as idempotency key.
3. **Finish**: what the gateway says settles the payment. If it says nothing clear, the payment
   stays in flight until an event or a check tells (``reconciling.py``).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.payments import repository
from control_plane.money.payments.customers import customer_id_of, customer_of
from control_plane.money.payments.gateway_events.intake import apply_report
from control_plane.money.payments.gateways.gateway import (
    Declined,
    GatewayRefused,
    GatewayUnclear,
    Order,
    PaymentGateway,
    PaymentReport,
)
from control_plane.money.payments.gateways.installed import InstalledGateways
from control_plane.money.payments.locking import lock_account
from control_plane.money.payments.orders import order_of, priced
from control_plane.money.payments.settling import fail_quietly, locked, settle
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings

FIRST_CHECK = timedelta(minutes=1)
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class _Charge:
    gateway: PaymentGateway
    order: Order
    token: str


async def recharge(
    database: Database,
    settings: ControlPlaneSettings,
    gateways: InstalledGateways,
    tenant_id: UUID,
    now: datetime,
) -> None:
    """Charge the tenant's saved method if its credit is below its threshold. It may be called any
    number of times, also at once, and goes on with a charge that a dead process began."""
    async with database.system_session() as session:
        payment_id = await claim(session, tenant_id, now)
    if payment_id is not None:
        await charge(database, settings, gateways, payment_id, now)


async def claim(session: AsyncSession, tenant_id: UUID, now: datetime) -> UUID | None:
    """The tenant's recharge that is in flight, which is a new one if one is due. Needs a system
    session."""
    account = await lock_account(session, tenant_id)
    payment_id = uuid4()
    if account.is_active and await repository.claim_recharge(
        session, tenant_id, payment_id, account.available_micros, now
    ):
        return payment_id
    return await repository.recharge_in_flight(session, tenant_id)


async def charge(
    database: Database,
    settings: ControlPlaneSettings,
    gateways: InstalledGateways,
    payment_id: UUID,
    now: datetime,
) -> None:
    """Send a claimed recharge to its gateway, and settle it by the answer."""
    async with database.system_session() as session:
        prepared = await _prepare(session, settings, gateways, payment_id, now)
    if prepared is None:
        return
    customer = await customer_of(database, prepared.order.tenant_id)
    report: PaymentReport
    try:
        report = await prepared.gateway.charge(prepared.order, prepared.token, customer)
    except GatewayRefused as refused:
        report = Declined(refused.code, refused.message)
    except GatewayUnclear as unclear:
        _log.warning("recharge_unclear", payment_id=str(payment_id), reason=str(unclear))
        return
    async with database.system_session() as session:
        await apply_report(session, settings, payment_id, report, now)


async def _prepare(
    session: AsyncSession,
    settings: ControlPlaneSettings,
    gateways: InstalledGateways,
    payment_id: UUID,
    now: datetime,
) -> _Charge | None:
    """Note that the gateway is asked from now on; ``None`` if it must not be."""
    payment = await locked(session, payment_id)
    if payment.is_resolved or payment.sent_at is not None:
        return None
    tenant_id = payment.tenant_id
    auto = await repository.auto_recharge(session, tenant_id, for_update=True)
    assert payment.payment_method_id is not None, "a recharge has a method"
    method = await repository.find_method(session, tenant_id, payment.payment_method_id)
    if auto is None or not auto.enabled or method is None:
        await fail_quietly(
            session, payment, "switched_off", "Automatic recharge was switched off.", now
        )
        return None
    gateway = gateways.find(payment.gateway)
    if gateway is None:
        report = Declined("gateway_not_configured", "The gateway is not configured any more.")
        await settle(session, settings, payment_id, report, now)
        return None
    profile = await repository.profile(session, tenant_id)
    if not payment.total_minor:
        amounts = await priced(session, settings, gateway.name, profile, auto.pack_micros)
        for name, value in amounts.items():
            setattr(payment, name, value)
    if method.max_amount_minor is not None and payment.total_minor > method.max_amount_minor:
        report = Declined("above_mandate", "The amount is above what the mandate allows.")
        await settle(session, settings, payment_id, report, now)
        return None
    payment.sent_at = now
    payment.next_check_at = now + FIRST_CHECK
    payment.gateway_customer_id = customer_id_of(profile, payment.gateway)
    await session.flush()
    order = order_of(payment, payment.gateway_customer_id)
    return _Charge(gateway, order, settings.sealer.open(method.sealed_token))
