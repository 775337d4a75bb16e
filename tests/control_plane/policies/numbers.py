from __future__ import annotations

from uuid import UUID

from control_plane.calling.numbers.models import Number
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import (
    ADMINS_FOREIGN_IS_404,
    OWN_RECORDS,
    Access,
    Policies,
    Policy,
)

OPERATORS = Policy(Access.OPERATOR, 401)
NUMBER = "+14155550187"

POLICIES: Policies = {
    ("POST", "/v1/operator/tenants/{tenant_id}/numbers"): Policy(
        Access.OPERATOR, 401, {"number": "+14155550188"}
    ),
    ("GET", "/v1/operator/tenants/{tenant_id}/numbers"): OPERATORS,
    ("DELETE", "/v1/operator/tenants/{tenant_id}/numbers/{phone_number}"): OPERATORS,
    ("GET", "/v1/numbers"): OWN_RECORDS,
    # Each tenant may register the same number while nobody has proved it.
    ("POST", "/v1/numbers"): Policy(
        Access.ADMIN, 403, {"number": NUMBER, "agent_id": "{agent_id}"}
    ),
    ("POST", "/v1/numbers/{number}/attach"): Policy(
        Access.ADMIN, refused_with=403, body={"agent_id": "{agent_id}"}
    ),
    ("POST", "/v1/numbers/{number}/webhook"): ADMINS_FOREIGN_IS_404,
    ("POST", "/v1/numbers/{number}/detach"): ADMINS_FOREIGN_IS_404,
    # Removing what one does not have is no error.
    ("DELETE", "/v1/numbers/{number}"): Policy(Access.ADMIN),
    ("GET", "/v1/phone-settings"): Policy(Access.MEMBER, names_records=False),
    ("PUT", "/v1/phone-settings"): Policy(
        Access.ADMIN, body={"daily_spend_cap_usd": 50}, names_records=False
    ),
    ("GET", "/v1/operator/telecom-prices"): OPERATORS,
    ("POST", "/v1/operator/telecom-prices"): Policy(
        Access.OPERATOR,
        401,
        {"provider": "twilio", "direction": "outbound", "prefix": "+1", "usd_per_minute": 0.014},
    ),
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    async with database.system_session() as session:
        session.add(Number(tenant_id=tenant.tenant_id, number=NUMBER))
    return {"phone_number": NUMBER, "number": NUMBER}
