from __future__ import annotations

from tests.control_plane.policies.policy import Access, Policies, Policy

POLICIES: Policies = {
    ("GET", "/v1/calls/queue/stats"): Policy(Access.MEMBER, names_records=False),
}
