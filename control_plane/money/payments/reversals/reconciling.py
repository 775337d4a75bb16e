"""Asking gateways for refunds and disputes whose event never came, or was lost in a crash."""

from __future__ import annotations

from datetime import datetime, timedelta

import structlog

from control_plane.money.payments.gateway_events.intake import apply_reversal
from control_plane.money.payments.gateways.gateway import (
    Disputed,
    DisputePartlyWon,
    GatewayRefused,
    GatewayUnclear,
    PaymentGateway,
    Refunded,
    ReversalReport,
)
from control_plane.money.payments.gateways.installed import InstalledGateways
from control_plane.money.payments.reversals import repository
from control_plane.money.payments.reversals.reversing import id_of
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings

LOOK_BACK = timedelta(days=120)
"""Banks decide a dispute within three months."""
_log = structlog.get_logger(__name__)


async def reconcile_reversals(
    database: Database,
    settings: ControlPlaneSettings,
    gateways: InstalledGateways,
    now: datetime,
) -> None:
    """Post the refunds and disputes of every gateway that are not posted as they are today."""
    for name in gateways.configured:
        gateway = gateways.find(name)
        assert gateway is not None, "it is configured"
        try:
            reports = await gateway.reversals(now - LOOK_BACK)
        except (GatewayUnclear, GatewayRefused) as error:
            _log.warning("reversals_not_listed", gateway=name, error=str(error))
            continue
        for report in await _not_posted(database, gateway, reports):
            async with database.system_session() as session:
                waits_for = await apply_reversal(session, settings, name, report, now)
            if waits_for is None:
                _log.warning("reversal_was_not_reported", gateway=name, gateway_id=id_of(report))


async def _not_posted(
    database: Database, gateway: PaymentGateway, reports: list[ReversalReport]
) -> list[ReversalReport]:
    """What was taken and is not known, and what came back and is not known to be back."""
    kept = [report.kept for report in reports if isinstance(report, DisputePartlyWon)]
    async with database.system_session() as session:
        known = await repository.posted_among(
            session, gateway.name, [*map(id_of, [*reports, *kept])]
        )

    def is_missing(report: ReversalReport) -> bool:
        if isinstance(report, (Refunded, Disputed)):
            return id_of(report) not in known
        if isinstance(report, DisputePartlyWon) and is_missing(report.kept):
            return True
        return known.get(id_of(report)) is False

    return [report for report in reports if is_missing(report)]
