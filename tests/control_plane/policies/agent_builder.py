from __future__ import annotations

from tests.control_plane.policies.policy import Access, Policies, Policy

POLICIES: Policies = {
    ("POST", "/v1/agents/generate"): Policy(
        Access.MEMBER, body={"prompt": "Books appointments for a clinic"}
    ),
}
