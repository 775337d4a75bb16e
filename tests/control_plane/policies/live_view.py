from __future__ import annotations

from tests.control_plane.policies.policy import Access, Policies, Policy

POLICIES: Policies = {
    # Without an end the walks would wait for that of the call.
    ("GET", "/v1/calls/{call_id}/stream"): Policy(
        Access.MEMBER, refused_with=404, query="?follow=false"
    ),
}
