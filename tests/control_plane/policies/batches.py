from __future__ import annotations

from tests.control_plane.policies.policy import Policies

POLICIES: Policies = {}
