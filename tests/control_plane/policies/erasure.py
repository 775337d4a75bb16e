from __future__ import annotations

from uuid import UUID, uuid4

from control_plane.calling.erasure.models import Erasure
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

POLICIES: Policies = {
    ("POST", "/v1/erasures"): Policy(Access.ADMIN, body={"number": "+442079460000"}),
    ("GET", "/v1/erasures"): ADMINS_OWN_RECORDS,
    ("GET", "/v1/erasures/{erasure_id}"): ADMINS_FOREIGN_IS_404,
    ("GET", "/v1/erasures/{erasure_id}/proof"): ADMINS_FOREIGN_IS_404,
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    erasure_id = uuid4()
    async with database.tenant_session(tenant.tenant_id) as session:
        session.add(
            Erasure(
                id=erasure_id,
                tenant_id=tenant.tenant_id,
                status="completed",
                caller_hmac="0" * 64,
                reason=SECRET_NAME,
                requested_by={"kind": "secret_key", "id": None, "label": SECRET_NAME},
                proof=f'{{"reason": "{SECRET_NAME}"}}',
                proof_sha256="0" * 64,
            )
        )
    return {"erasure_id": erasure_id}
