from __future__ import annotations

from uuid import UUID

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import (
    ADMINS_FOREIGN_IS_404,
    OWN_RECORDS,
    SECRET_NAME,
    Access,
    Policies,
    Policy,
)

POLICIES: Policies = {
    ("POST", "/v1/do-not-call"): Policy(Access.MEMBER, body={"number": "+442079460000"}),
    ("GET", "/v1/do-not-call"): OWN_RECORDS,
    ("POST", "/v1/do-not-call/import"): Policy(Access.ADMIN, content="number\n+442079460001\n"),
    ("DELETE", "/v1/do-not-call/{number}"): ADMINS_FOREIGN_IS_404,
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    number = "+14155550123"
    answer = await tenant.post("/v1/do-not-call", {"number": number, "reason": SECRET_NAME})
    assert answer.status_code == 201, answer.text
    return {"number": number}
