from __future__ import annotations

from tests.control_plane.policies.policy import Access, Policies, Policy

POLICIES: Policies = {
    ("POST", "/v1/calls/{call_id}/participants"): Policy(
        Access.MEMBER,
        refused_with=403,
        body={"participants": [{"transport": "webrtc", "identity": "bo"}]},
    ),
}
