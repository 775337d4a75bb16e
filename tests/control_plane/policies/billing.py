from __future__ import annotations

from uuid import UUID

from control_plane.money.spend_alerts.repository import raise_alerts
from control_plane.money.spend_alerts.rules import Alert
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import (
    ADMINS_FOREIGN_IS_404,
    OWN_RECORDS,
    Access,
    Policies,
    Policy,
)

POLICIES: Policies = {
    ("GET", "/v1/billing/balance"): Policy(Access.MEMBER, names_records=False),
    ("GET", "/v1/billing/transactions"): OWN_RECORDS,
    ("GET", "/v1/billing/plan"): Policy(Access.MEMBER, names_records=False),
    ("GET", "/v1/billing/extra-usage"): Policy(Access.MEMBER, names_records=False),
    ("PUT", "/v1/billing/extra-usage"): Policy(
        Access.ADMIN, body={"enabled": False}, names_records=False
    ),
    ("GET", "/v1/billing/alerts"): Policy(Access.MEMBER, names_records=False),
    ("PUT", "/v1/billing/alerts"): Policy(
        Access.ADMIN,
        body={"thresholds_usd": [5], "low_balance_pct": 10, "email_enabled": True},
        names_records=False,
    ),
    ("GET", "/v1/billing/spend-alerts"): OWN_RECORDS,
    ("POST", "/v1/billing/spend-alerts/{alert_id}/acknowledge"): ADMINS_FOREIGN_IS_404,
    # The walk's call is not over.
    ("GET", "/v1/billing/calls"): Policy(Access.MEMBER, names_records=False),
    ("GET", "/v1/billing/export.csv"): Policy(Access.MEMBER, names_records=False),
    ("GET", "/v1/billing/spend"): Policy(Access.MEMBER, names_records=False),
    ("POST", "/v1/billing/estimate"): Policy(
        Access.MEMBER, body={"duration_seconds": 60}, names_records=False
    ),
    ("GET", "/v1/billing/usage-summary"): Policy(Access.MEMBER, names_records=False),
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    alert = Alert("monthly_spend", "warning", 1, 1, "month:2026-01:1")
    async with database.system_session() as session:
        [kept] = await raise_alerts(session, tenant.tenant_id, [alert])
    return {"alert_id": kept.id}
