from __future__ import annotations

from uuid import UUID

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.policies.policy import (
    ADMINS_FOREIGN_IS_404,
    ADMINS_OWN_RECORDS,
    OWN_RECORDS,
    SECRET_NAME,
    Access,
    Policies,
    Policy,
)

POLICIES: Policies = {
    ("GET", "/v1/members"): OWN_RECORDS,
    ("PATCH", "/v1/members/{user_id}"): Policy(Access.ADMIN, 404, {"role": "admin"}),
    ("DELETE", "/v1/members/{user_id}"): ADMINS_FOREIGN_IS_404,
    ("DELETE", "/v1/members/me"): Policy(Access.SESSION, 403),
    ("POST", "/v1/invitations"): Policy(
        Access.ADMIN, body={"email": "walker@example.com", "role": "member"}
    ),
    ("GET", "/v1/invitations"): ADMINS_OWN_RECORDS,
    ("POST", "/v1/invitations/{invitation_id}/resend"): ADMINS_FOREIGN_IS_404,
    ("DELETE", "/v1/invitations/{invitation_id}"): ADMINS_FOREIGN_IS_404,
    ("POST", "/v1/invitations/accept"): Policy(
        Access.EVERYONE, 400, {"token": "unknown", "password": "a password of the walk"}
    ),
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    member = await dashboard_client(tenant, database, "member")
    named = await member.patch("/v1/me", {"name": SECRET_NAME})
    assert named.status_code == 200, named.text
    invited = await tenant.post(
        "/v1/invitations", {"email": "invited@example.com", "role": "admin"}
    )
    assert invited.status_code == 201, invited.text
    return {"user_id": member.user_id, "invitation_id": UUID(invited.json()["id"])}
