"""A loud tenant and a stranger beside others; ``python -m tests.fairness`` does it for a minute.

Here others use the same cores, so the bounds are loose: without turns, the quiet tenant's calls
would wait behind the loud one's queue for ten seconds and more.
"""

from __future__ import annotations

import pytest

from tests.fairness.crowding import crowd

CALL_SECONDS = 3
LONGEST_WAIT_SECONDS = CALL_SECONDS + 1.5
"""The loud tenant's first calls take every slot at the same time, and end at the same time."""
BUSY_MACHINE = {"database_unavailable", "connection_lost"}

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(180)]


async def test_neither_a_loud_tenant_nor_a_stranger_keeps_others_from_calling() -> None:
    outcome = await crowd(6, CALL_SECONDS, attack_seconds=1.5, wait_for_strangers=False)
    assert outcome.faults == []
    assert outcome.quiet_answers["201"] > 0
    assert set(outcome.quiet_answers) <= {"201"} | BUSY_MACHINE
    assert None not in outcome.quiet_seconds
    assert outcome.loud_answers["no_capacity"] + outcome.loud_answers["too_many_calls"] > 0
    assert max(outcome.quiet_waits) <= LONGEST_WAIT_SECONDS
    assert set(outcome.attack_answers) <= {"201", "too_many_calls"} | BUSY_MACHINE
    assert outcome.attack_answers["201"] <= 5
    assert outcome.attack_answers["too_many_calls"] > 0
    for seconds in (outcome.owner_seconds, outcome.neighbour_seconds):
        assert seconds is not None
        assert seconds <= 5
