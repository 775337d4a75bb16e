from __future__ import annotations

from tests.control_plane.policies.policy import (
    FOREIGN_IS_404,
    OWN_RECORDS,
    Access,
    Policies,
    Policy,
)

POLICIES: Policies = {
    ("POST", "/v1/agents"): Policy(Access.MEMBER, body={"name": "Mine"}),
    ("GET", "/v1/agents"): OWN_RECORDS,
    ("GET", "/v1/agents/{agent_id}"): FOREIGN_IS_404,
    ("PUT", "/v1/agents/{agent_id}"): Policy(Access.MEMBER, 404, {"name": "Mine"}),
    ("PATCH", "/v1/agents/{agent_id}"): Policy(Access.MEMBER, 404, {"name": "Mine"}),
}
