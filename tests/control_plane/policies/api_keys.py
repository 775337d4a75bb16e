from __future__ import annotations

from tests.control_plane.policies.policy import (
    ADMINS_FOREIGN_IS_404,
    ADMINS_OWN_RECORDS,
    Access,
    Policies,
    Policy,
)

POLICIES: Policies = {
    ("POST", "/v1/api-keys"): Policy(
        Access.ADMIN,
        400,
        {"name": "x", "kind": "publishable", "allowed_agent_ids": ["{agent_id}"]},
    ),
    ("GET", "/v1/api-keys"): ADMINS_OWN_RECORDS,
    ("GET", "/v1/api-keys/{key_id}"): ADMINS_FOREIGN_IS_404,
    ("PATCH", "/v1/api-keys/{key_id}"): Policy(Access.ADMIN, 404, {"name": "Mine"}),
    ("POST", "/v1/api-keys/{key_id}/rotate"): Policy(Access.ADMIN, 404, {"overlap_seconds": 60}),
    ("DELETE", "/v1/api-keys/{key_id}"): ADMINS_FOREIGN_IS_404,
}
