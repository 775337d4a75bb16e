from __future__ import annotations

from tests.control_plane.policies.policy import OWN_RECORDS, Access, Policies, Policy

POLICIES: Policies = {
    ("GET", "/v1/billing/balance"): Policy(Access.MEMBER, names_records=False),
    ("GET", "/v1/billing/transactions"): OWN_RECORDS,
}
