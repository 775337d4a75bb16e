"""Asking gateways for captured payments whose event never came, those that are closed here, too.

Captured payments are listed by their date, and closed ones are not asked about again. An order of
Razorpay never ends, so its customer may pay it long after ``CHECKOUT_ENDS_AFTER``; a bank may pay a
debit days after Stripe's checkout is complete; a customer may pay an order twice. No time after
which a closed payment need not be asked about is right for all of these, and each would cost a
request for every checkout that nobody has paid. The list costs a request for a hundred payments.
"""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog

from control_plane.money.payments import repository
from control_plane.money.payments.gateway_events.intake import apply_to_payment
from control_plane.money.payments.gateways.gateway import (
    Captured,
    GatewayFact,
    GatewayRefused,
    GatewayUnclear,
)
from control_plane.money.payments.gateways.installed import InstalledGateways
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings

LOOK_BACK = timedelta(days=28)
"""Gateways list payments by when the customer paid, and some have the money only later: a direct
debit takes up to 14 business days (source: Stripe, "SEPA Direct Debit payments"), Razorpay up to 3
days (source: "Late Authorization"). So lists overlap by so much, and one that the gateway did not
give is made up for by the next, for a week."""
_log = structlog.get_logger(__name__)


async def post_missed_captures(
    database: Database,
    settings: ControlPlaneSettings,
    gateways: InstalledGateways,
    now: datetime,
) -> None:
    """Post what every gateway has captured and is not posted. It may be called any number of times,
    while events of the same payments come."""
    for name in gateways.configured:
        gateway = gateways.find(name)
        assert gateway is not None, "it is configured"
        try:
            facts = await gateway.captures(now - LOOK_BACK)
        except (GatewayUnclear, GatewayRefused) as error:
            _log.warning("captures_not_listed", gateway=name, error=str(error))
            continue
        for fact, captured in await _not_posted(database, name, facts):
            async with database.system_session() as session:
                is_ours = await apply_to_payment(session, settings, name, fact, captured, now)
            if is_ours:
                _log.warning(
                    "capture_was_not_reported",
                    gateway=name,
                    gateway_payment_id=captured.gateway_payment_id,
                )


async def _not_posted(
    database: Database, gateway: str, facts: list[GatewayFact]
) -> list[tuple[GatewayFact, Captured]]:
    """Those of other shops' payments are among them."""
    captures = [(fact, fact.report) for fact in facts if isinstance(fact.report, Captured)]
    ids = [captured.gateway_payment_id for _, captured in captures]
    async with database.system_session() as session:
        posted = await repository.captured_among(session, gateway, ids)
    return [each for each in captures if each[1].gateway_payment_id not in posted]
