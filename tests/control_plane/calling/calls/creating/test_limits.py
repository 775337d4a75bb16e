"""The limits of a call, from its agent's settings."""

from __future__ import annotations

import pytest

from contracts.agent_config import AgentConfig
from contracts.call_plan import LONGEST_CALL_SECONDS
from control_plane.calling.calls.creating.planning import limits_of


@pytest.mark.parametrize(
    ("saved", "seconds"),
    [(30, 30), (300.5, 301), (7200, 7200), (7201, LONGEST_CALL_SECONDS), (1_000_000, 7200)],
)
def test_no_call_is_longer_than_the_documented_limit(saved: float, seconds: int) -> None:
    agent = AgentConfig(name="Nora", advanced={"maxCallDuration": saved})
    limits = limits_of(agent, waits_for_phone=False)
    assert limits.max_duration_seconds == seconds
