from __future__ import annotations

from tests.control_plane.policies.policy import Access, Policies, Policy

POLICIES: Policies = {
    ("GET", "/v1/data-retention"): Policy(Access.MEMBER, names_records=False),
    ("PATCH", "/v1/data-retention"): Policy(
        Access.ADMIN, body={"transcript_retention_days": 90}, names_records=False
    ),
}
