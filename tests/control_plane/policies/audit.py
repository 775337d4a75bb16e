from __future__ import annotations

from uuid import UUID

from control_plane.platform.audit.recording import OPERATOR, record_act
from control_plane.platform.database import Database
from control_plane.platform.tenancy.caller import RequestOrigin
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import ADMINS_OWN_RECORDS, SECRET_NAME, Policies

POLICIES: Policies = {("GET", "/v1/audit-log"): ADMINS_OWN_RECORDS}


async def leave_records(
    tenant: TenantClient, database: Database, _ids: dict[str, UUID]
) -> dict[str, object]:
    async with database.system_session() as session:
        record_act(
            session,
            tenant.tenant_id,
            OPERATOR,
            RequestOrigin(),
            "tenant.renamed",
            changes={"name": SECRET_NAME},
        )
    return {}
