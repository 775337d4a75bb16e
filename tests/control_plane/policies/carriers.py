from __future__ import annotations

from uuid import UUID, uuid4

from control_plane.calling.carriers.models import CarrierAccountRecord
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import (
    ADMINS_FOREIGN_IS_404,
    ADMINS_OWN_RECORDS,
    SECRET_NAME,
    Access,
    Policies,
    Policy,
)

OPERATORS = Policy(Access.OPERATOR, 401)
# The credentials are refused before any carrier is asked.
CREDENTIALS = {"auth_id": "MA0000000000", "auth_token": ""}

POLICIES: Policies = {
    ("GET", "/v1/carriers"): ADMINS_OWN_RECORDS,
    ("POST", "/v1/carriers"): Policy(
        Access.ADMIN, 400, {"provider": "plivo", "credentials": CREDENTIALS}, names_records=False
    ),
    ("GET", "/v1/carriers/{carrier_id}"): ADMINS_FOREIGN_IS_404,
    ("PATCH", "/v1/carriers/{carrier_id}"): Policy(
        Access.ADMIN, refused_with=404, body={"name": "Mine now"}
    ),
    ("DELETE", "/v1/carriers/{carrier_id}"): ADMINS_FOREIGN_IS_404,
    ("POST", "/v1/carriers/{carrier_id}/verify"): ADMINS_FOREIGN_IS_404,
    ("GET", "/v1/operator/carriers"): OPERATORS,
    ("PUT", "/v1/operator/carriers/{provider}"): Policy(
        Access.OPERATOR, 401, {"credentials": CREDENTIALS}
    ),
    ("POST", "/v1/operator/carriers/{provider}/verify"): OPERATORS,
    ("DELETE", "/v1/operator/carriers/{provider}"): OPERATORS,
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    account_id = uuid4()
    async with database.system_session() as session:
        session.add(
            CarrierAccountRecord(
                id=account_id,
                tenant_id=tenant.tenant_id,
                provider="plivo",
                name=SECRET_NAME,
                sealed_credentials="sealed with a key that is gone",
                is_default=True,
            )
        )
    return {"carrier_id": account_id}
