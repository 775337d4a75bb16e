from __future__ import annotations

from uuid import UUID, uuid4

from control_plane.calling.batches.models import BatchRow, CallBatch
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import (
    FOREIGN_IS_404,
    OWN_RECORDS,
    SECRET_NAME,
    Access,
    Policies,
    Policy,
)

POLICIES: Policies = {
    # Without a carrier no batch is taken: a stranger learns nothing of the agent.
    ("POST", "/v1/calls/batch"): Policy(
        Access.MEMBER, 400, {"agent_id": "{agent_id}", "recipients": [{"to": "+14155550123"}]}
    ),
    ("GET", "/v1/calls/batch"): OWN_RECORDS,
    ("GET", "/v1/calls/batch/{batch_id}"): FOREIGN_IS_404,
    ("GET", "/v1/calls/batch/{batch_id}/recipients"): FOREIGN_IS_404,
    ("POST", "/v1/calls/batch/{batch_id}/cancel"): FOREIGN_IS_404,
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    batch_id = uuid4()
    async with database.tenant_session(tenant.tenant_id) as session:
        batch = CallBatch(
            id=batch_id,
            tenant_id=tenant.tenant_id,
            agent_id=ids["agent_id"],
            name=SECRET_NAME,
            request={},
        )
        session.add(batch)
        await session.flush()
        session.add(
            BatchRow(
                batch_id=batch_id,
                position=0,
                tenant_id=tenant.tenant_id,
                recipient={"to": SECRET_NAME},
                refusal_code="invalid_phone_number",
                refusal=SECRET_NAME,
            )
        )
    return {"batch_id": batch_id}
