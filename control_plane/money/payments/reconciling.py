"""Asking gateways what became of payments of which they have said nothing: an answer was lost, a
process died, an event never came."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.payments import repository
from control_plane.money.payments.customers import customer_id_of
from control_plane.money.payments.gateway_events.intake import apply_report
from control_plane.money.payments.gateways.gateway import (
    Declined,
    Expired,
    GatewayRefused,
    GatewayUnclear,
    UnknownCustomer,
    Waiting,
)
from control_plane.money.payments.gateways.installed import InstalledGateways
from control_plane.money.payments.models import PaymentKind
from control_plane.money.payments.orders import order_of
from control_plane.money.payments.recharging import charge
from control_plane.money.payments.settling import fail_quietly, locked, settle
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings

MOST_AT_ONCE = 50
LOST_AFTER = timedelta(minutes=5)
"""A charge that the gateway does not know so long after it was sent was never made: requests time
out much sooner."""
CHECKOUT_ENDS_AFTER = timedelta(hours=25)
"""Gateways end a checkout after 24 hours. A later capture still counts (``missed_captures.py``)."""
_FIRST_WAIT, _LONGEST_WAIT = timedelta(minutes=1), timedelta(hours=1)
_log = structlog.get_logger(__name__)


async def reconcile(
    database: Database,
    settings: ControlPlaneSettings,
    gateways: InstalledGateways,
    clock: Callable[[], datetime],
) -> None:
    """Check every payment that is due for it.

    Args:
        clock: is asked for each of them. Gateways may be slow, and a charge that seemed to be sent
            minutes before it was would soon be taken for lost, and made again.
    """
    async with database.system_session() as session:
        due = await repository.due_for_a_check(session, clock(), MOST_AT_ONCE)
    for payment_id in due:
        await check(database, settings, gateways, payment_id, clock())


async def check(
    database: Database,
    settings: ControlPlaneSettings,
    gateways: InstalledGateways,
    payment_id: UUID,
    now: datetime,
) -> None:
    """Ask the gateway what became of one payment, and settle it."""
    async with database.system_session() as session:
        payment = await locked(session, payment_id)
        if payment.is_resolved:
            return
        payment.checks += 1
        payment.next_check_at = now + min(_FIRST_WAIT * 2 ** min(payment.checks, 10), _LONGEST_WAIT)
        profile = await repository.profile(session, payment.tenant_id)
        # The tenant may have become another customer since.
        customer_id = payment.gateway_customer_id or customer_id_of(profile, payment.gateway)
        order = order_of(payment, customer_id)
    if payment.kind == PaymentKind.RECHARGE and payment.sent_at is None:
        await charge(database, settings, gateways, payment_id, now)
        return
    gateway = gateways.find(payment.gateway)
    if gateway is None:
        _log.error("payment_gateway_missing", payment_id=str(payment_id), gateway=payment.gateway)
        if payment.kind != PaymentKind.RECHARGE:
            async with database.system_session() as session:
                await _give_up(session, settings, payment_id, now)
        return
    try:
        report = await gateway.find(order)
    except UnknownCustomer:
        # After a change from test keys to live ones, for example: nothing was charged there.
        report = None
    except (GatewayUnclear, GatewayRefused) as error:
        _log.warning("payment_check_failed", payment_id=str(payment_id), error=str(error))
        # A checkout that is given up may still be captured, but a charge would be made again.
        if isinstance(error, GatewayUnclear) or payment.kind == PaymentKind.RECHARGE:
            return
        report = None
    async with database.system_session() as session:
        if report is not None and report != Waiting():
            await apply_report(session, settings, payment_id, report, now)
        # Who was declined at a checkout may never try again, and an order of Razorpay never ends.
        if report is None or report == Waiting() or isinstance(report, Declined):
            await _give_up(session, settings, payment_id, now)


async def _give_up(
    session: AsyncSession, settings: ControlPlaneSettings, payment_id: UUID, now: datetime
) -> None:
    """End a payment for which the gateway has and expects no money, or which no gateway can tell of
    any more, if it is old enough."""
    payment = await locked(session, payment_id)
    assert payment.sent_at is not None, "only what was sent is looked for"
    if payment.is_resolved:
        return
    if payment.kind != PaymentKind.RECHARGE:
        if now - payment.sent_at >= CHECKOUT_ENDS_AFTER:
            await settle(session, settings, payment_id, Expired(), now)
    elif now - payment.sent_at >= LOST_AFTER:
        await fail_quietly(session, payment, "not_sent", "The gateway never got this charge.", now)
