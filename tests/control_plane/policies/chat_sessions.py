from __future__ import annotations

from uuid import UUID

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import (
    FOREIGN_IS_404,
    SECRET_NAME,
    Access,
    Policies,
    Policy,
)

_SESSIONS = "/v1/agents/{agent_id}/chat-sessions"

POLICIES: Policies = {
    ("POST", _SESSIONS): Policy(Access.MEMBER, 404, {"version": "draft"}),
    ("GET", f"{_SESSIONS}/{{chat_session_id}}"): FOREIGN_IS_404,
    ("POST", f"{_SESSIONS}/{{chat_session_id}}/messages"): Policy(
        Access.MEMBER, 404, {"text": "Hello?"}
    ),
    ("DELETE", f"{_SESSIONS}/{{chat_session_id}}"): FOREIGN_IS_404,
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    sessions = f"/v1/agents/{ids['agent_id']}/chat-sessions"
    begun = await tenant.post(sessions, {"variables": {"project": SECRET_NAME}})
    assert begun.status_code == 201, begun.text
    return {"chat_session_id": UUID(begun.json()["id"])}
