"""A short form of ``make webhook-storm``, which also measures."""

from __future__ import annotations

import pytest

from tests.webhook_storm.storm import Plan, storm

pytestmark = pytest.mark.timeout(300)


async def test_killed_processes_and_a_stopped_database_lose_no_event() -> None:
    outcome = await storm(Plan(facts=120, facts_a_second=20, kills=3, outage_seconds=3))
    assert (outcome.facts, outcome.kills) == (120, 3)
    assert outcome.missing == 0
    # Each kill can repeat what was under way, a few for each endpoint.
    assert outcome.share_repeated <= 0.1
