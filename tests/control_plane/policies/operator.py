from __future__ import annotations

from tests.control_plane.policies.policy import EVERYONE, Access, Policies, Policy

POLICIES: Policies = {
    ("GET", "/openapi.json"): EVERYONE,
    ("GET", "/healthz"): EVERYONE,
    ("GET", "/readyz"): EVERYONE,
    ("GET", "/call"): EVERYONE,
    ("GET", "/call/config.json"): EVERYONE,
    ("POST", "/v1/operator/tenants"): Policy(
        Access.OPERATOR, 401, {"name": "x", "owner_email": "x@example.com"}
    ),
}
