from __future__ import annotations

from tests.control_plane.policies.policy import FOREIGN_IS_404, Policies

POLICIES: Policies = {
    ("POST", "/v1/agents/{agent_id}/publish"): FOREIGN_IS_404,
}
