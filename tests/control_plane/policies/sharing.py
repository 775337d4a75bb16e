from __future__ import annotations

from uuid import UUID

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.policies.policy import EVERYONE, FOREIGN_IS_404, Access, Policies, Policy

_LINK = "/v1/agents/{agent_id}/share-link"
_TESTERS = "/v1/agents/{agent_id}/testers"
_SHARED = "/v1/shared/{share_token}"
_NOBODYS_TOKEN = Policy(Access.EVERYONE, 404)
"""Whoever has a link may call the agent behind it; the walks bring a token that opens nothing."""
_PAYERS_SESSION = Policy(Access.SESSION, 403)
"""A key cannot pay as a tester."""

POLICIES: Policies = {
    ("GET", _LINK): FOREIGN_IS_404,
    ("PUT", _LINK): Policy(Access.MEMBER, 404, {"max_concurrent": 2}),
    ("POST", f"{_LINK}/regenerate"): FOREIGN_IS_404,
    ("GET", _TESTERS): FOREIGN_IS_404,
    ("POST", _TESTERS): Policy(Access.MEMBER, 404, {"email": "new@example.com"}),
    ("PATCH", f"{_TESTERS}/{{tester_id}}"): Policy(Access.MEMBER, 404, {"minutes_limit": 5}),
    ("POST", f"{_TESTERS}/{{tester_id}}/resend"): FOREIGN_IS_404,
    ("DELETE", f"{_TESTERS}/{{tester_id}}"): FOREIGN_IS_404,
    ("GET", "/s/{share_token}"): EVERYONE,
    ("GET", "/widget.js"): EVERYONE,
    ("GET", _SHARED): _NOBODYS_TOKEN,
    ("POST", f"{_SHARED}/calls"): _NOBODYS_TOKEN,
    ("POST", f"{_SHARED}/minutes-request"): _NOBODYS_TOKEN,
    ("GET", f"{_SHARED}/payer"): _PAYERS_SESSION,
    ("POST", f"{_SHARED}/paid-calls"): _PAYERS_SESSION,
}


async def leave_records(
    tenant: TenantClient, database: Database, ids: dict[str, UUID]
) -> dict[str, object]:
    answer = await tenant.request("PUT", f"/v1/agents/{ids['agent_id']}/share-link", json={})
    assert answer.status_code == 200, answer.text
    invited = await tenant.post(
        f"/v1/agents/{ids['agent_id']}/testers", {"email": "nightingale@example.com"}
    )
    assert invited.status_code == 201, invited.text
    return {
        "tester_id": UUID(invited.json()["tester"]["id"]),
        "share_link_id": UUID(answer.json()["link"]["id"]),
        "share_token": "opens-nothing",
    }
