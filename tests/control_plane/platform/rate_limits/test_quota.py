"""How what is left of a limit is said."""

from __future__ import annotations

from control_plane.platform.rate_limits.quota import Policy, Quota


def test_the_fields_are_structured() -> None:
    found = Quota(Policy("key", 100), remaining=60, reset_seconds=45)
    assert found.policy.field == '"key";q=100;w=60'
    assert found.field == '"key";r=60;t=45'
    assert found.used == 40
