from __future__ import annotations

from tests.control_plane.policies.policy import FOREIGN_IS_404, Access, Policies, Policy

_FOREIGN_AGENT = Policy(Access.MEMBER, 404, {"agent_id": "{agent_id}"})

POLICIES: Policies = {
    ("POST", "/v1/agents/validate-publish"): _FOREIGN_AGENT,
    ("POST", "/v1/agents/compile-prompt"): _FOREIGN_AGENT,
    ("POST", "/v1/agents/{agent_id}/publish"): FOREIGN_IS_404,
}
