from __future__ import annotations

from uuid import UUID

from control_plane.calling.numbers.models import Number
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import Access, Policies, Policy

OPERATORS = Policy(Access.OPERATOR, 401)
NUMBER = "+14155550187"

POLICIES: Policies = {
    ("POST", "/v1/operator/tenants/{tenant_id}/numbers"): Policy(
        Access.OPERATOR, 401, {"number": "+14155550188"}
    ),
    ("GET", "/v1/operator/tenants/{tenant_id}/numbers"): OPERATORS,
    ("DELETE", "/v1/operator/tenants/{tenant_id}/numbers/{phone_number}"): OPERATORS,
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    async with database.system_session() as session:
        session.add(Number(tenant_id=tenant.tenant_id, number=NUMBER))
    return {"phone_number": NUMBER}
