from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

from control_plane.calling.recordings.models import Recording
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import (
    FOREIGN_IS_404,
    SECRET_NAME,
    Access,
    Policies,
    Policy,
)

_SIGNED = Policy(Access.EVERYONE, 403, query="?token=nobody-signed-this")

POLICIES: Policies = {
    ("GET", "/v1/calls/{call_id}/recording"): FOREIGN_IS_404,
    ("GET", "/v1/recordings/{recording_id}/{file}"): _SIGNED,
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    recording_id = uuid4()
    async with database.tenant_session(tenant.tenant_id) as session:
        session.add(
            Recording(
                id=recording_id,
                tenant_id=tenant.tenant_id,
                call_id=ids["call_id"],
                status="failed",
                started_at=datetime.now(UTC),
                detail=SECRET_NAME,
            )
        )
    return {"recording_id": recording_id, "file": "stereo_mix.wav"}
