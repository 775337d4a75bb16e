from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from control_plane.calling.intelligence.models import CallAnalysis
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import FOREIGN_IS_404, SECRET_NAME, Policies

POLICIES: Policies = {
    ("GET", "/v1/calls/{call_id}/summary"): FOREIGN_IS_404,
    ("POST", "/v1/calls/{call_id}/reprocess"): FOREIGN_IS_404,
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    async with database.tenant_session(tenant.tenant_id) as session:
        session.add(
            CallAnalysis(
                call_id=ids["call_id"],
                tenant_id=tenant.tenant_id,
                finished_at=datetime.now(UTC),
                summary=SECRET_NAME,
            )
        )
    return {}
