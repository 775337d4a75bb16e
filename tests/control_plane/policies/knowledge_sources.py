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

_SOURCES = "/v1/agents/{agent_id}/knowledge-sources"
_TEXT = {"kind": "text", "title": "Parking", "text": "Guests park for free."}

POLICIES: Policies = {
    ("POST", _SOURCES): Policy(Access.MEMBER, 404, _TEXT),
    ("POST", f"{_SOURCES}/upload"): FOREIGN_IS_404,
    ("GET", _SOURCES): FOREIGN_IS_404,
    ("POST", f"{_SOURCES}/search"): Policy(Access.MEMBER, 404, {"question": "Where do I park?"}),
    ("GET", f"{_SOURCES}/{{source_id}}"): FOREIGN_IS_404,
    ("POST", f"{_SOURCES}/{{source_id}}/refresh"): FOREIGN_IS_404,
    ("PATCH", f"{_SOURCES}/{{source_id}}"): Policy(Access.MEMBER, 404, {"refresh_hours": 24}),
    ("DELETE", f"{_SOURCES}/{{source_id}}"): FOREIGN_IS_404,
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    answer = await tenant.post(
        f"/v1/agents/{ids['agent_id']}/knowledge-sources",
        {"kind": "text", "title": SECRET_NAME, "text": SECRET_NAME},
    )
    assert answer.status_code == 202, answer.text
    return {"source_id": answer.json()["source"]["id"]}
