"""``/v1/billing/alerts`` and ``/v1/billing/spend-alerts``."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter

from contracts.money import MICROS_PER_USD, usd
from control_plane.identity.authentication.dependencies import (
    AdminCaller,
    MemberCaller,
    TenantSession,
)
from control_plane.identity.authentication.refusals import ADMIN_ONLY, MEMBER_ONLY
from control_plane.money.billing.schemas import Saved
from control_plane.money.spend_alerts import repository
from control_plane.money.spend_alerts.errors import SpendAlertNotFound
from control_plane.money.spend_alerts.models import SpendAlert
from control_plane.money.spend_alerts.rules import AlertSettings
from control_plane.money.spend_alerts.schemas import (
    Acknowledged,
    Alerts,
    AlertsWanted,
    SpendAlerts,
    SpendAlertView,
)
from control_plane.platform.audit.recording import record_change
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/billing", tags=["billing"])


@router.get("/alerts", responses=problems(*MEMBER_ONLY))
async def get_alerts(caller: MemberCaller, session: TenantSession) -> Alerts:
    """What you are alerted about."""
    return _view(await repository.settings_of(session, caller.tenant_id))


@router.put("/alerts", responses=problems(*ADMIN_ONLY))
async def set_alerts(wanted: AlertsWanted, caller: AdminCaller, session: TenantSession) -> Saved:
    """Say what you want to be alerted about. You are also alerted when calls cost much more within
    an hour than is usual for you."""
    before = await repository.settings_of(session, caller.tenant_id)
    thresholds = {round(each * MICROS_PER_USD) for each in wanted.thresholds_usd}
    after = AlertSettings(tuple(sorted(thresholds)), wanted.low_balance_pct, wanted.email_enabled)
    await repository.save_settings(session, caller.tenant_id, after)
    if before != after:
        old, new = _view(before).model_dump(), _view(after).model_dump()
        changes = {field: [old[field], new[field]] for field in old if old[field] != new[field]}
        record_change(session, caller, "spend_alerts.updated", changes=changes)
    return Saved()


@router.get("/spend-alerts", responses=problems(*MEMBER_ONLY))
async def list_spend_alerts(caller: MemberCaller, session: TenantSession) -> SpendAlerts:
    """The alerts that nobody has acknowledged, and the latest that somebody has."""
    return SpendAlerts(
        unacknowledged=[
            _alert(each) for each in await repository.unacknowledged(session, caller.tenant_id)
        ],
        recent=[_alert(each) for each in await repository.recent(session, caller.tenant_id)],
    )


@router.post(
    "/spend-alerts/{alert_id}/acknowledge", responses=problems(*ADMIN_ONLY, SpendAlertNotFound)
)
async def acknowledge_spend_alert(
    alert_id: UUID, caller: AdminCaller, session: TenantSession
) -> Acknowledged:
    """Say that you have seen an alert. That works once."""
    at = await repository.acknowledge(session, caller.tenant_id, alert_id)
    if at is None:
        raise SpendAlertNotFound
    return Acknowledged(id=alert_id, acknowledged_at=at)


def _view(settings: AlertSettings) -> Alerts:
    return Alerts(
        thresholds_usd=[usd(each) for each in settings.thresholds_micros],
        low_balance_pct=settings.low_balance_pct,
        email_enabled=settings.email_enabled,
    )


def _alert(alert: SpendAlert) -> SpendAlertView:
    return SpendAlertView.model_validate(
        {
            "id": alert.id,
            "alert_type": alert.alert_type,
            "severity": alert.severity,
            "amount_usd": usd(alert.amount_micros),
            "threshold_usd": usd(alert.threshold_micros),
            "created_at": alert.created_at,
            "acknowledged_at": alert.acknowledged_at,
        }
    )
