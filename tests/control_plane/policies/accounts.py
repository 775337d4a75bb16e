from __future__ import annotations

from uuid import UUID

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.policies.policy import OWN_RECORDS, Access, Policies, Policy

_PASSWORD = "a password of the walk"
_SESSION = Policy(Access.SESSION, 403)

POLICIES: Policies = {
    ("POST", "/v1/auth/sign-up"): Policy(
        Access.EVERYONE,
        400,
        {"tenant_name": "x", "email": "new@example.com", "password": "short"},
    ),
    ("POST", "/v1/auth/confirm-email"): Policy(Access.EVERYONE, 400, {"token": "unknown"}),
    ("POST", "/v1/auth/login"): Policy(
        Access.EVERYONE, 401, {"email": "owner@example.com", "password": _PASSWORD}
    ),
    ("POST", "/v1/auth/password-reset"): Policy(
        Access.EVERYONE, body={"email": "owner@example.com"}
    ),
    ("POST", "/v1/auth/password-reset/confirm"): Policy(
        Access.EVERYONE, 400, {"token": "unknown", "password": _PASSWORD}
    ),
    ("GET", "/v1/me"): OWN_RECORDS,
    ("PATCH", "/v1/me"): Policy(Access.SESSION, 403, {"name": "Mine"}),
    ("PUT", "/v1/me/password"): Policy(
        Access.SESSION, 403, {"current_password": "unknown", "new_password": _PASSWORD}
    ),
    ("GET", "/v1/me/sessions"): _SESSION,
    ("DELETE", "/v1/me/sessions/{session_id}"): _SESSION,
    ("DELETE", "/v1/me/sessions"): _SESSION,
    ("POST", "/v1/auth/switch-tenant"): Policy(Access.SESSION, 403, {"tenant_id": "{tenant_id}"}),
    ("POST", "/v1/auth/logout"): _SESSION,
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    person = await dashboard_client(tenant, database, "member")
    [session] = (await person.get("/v1/me/sessions")).json()["sessions"]
    return {"tenant_id": tenant.tenant_id, "session_id": UUID(session["id"])}
