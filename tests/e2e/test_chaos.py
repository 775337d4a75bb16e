"""A small storm of simulated calls; ``python -m tests.chaos`` is the great one."""

from __future__ import annotations

import pytest

from tests.chaos.storm import storm

CALLS = 150


@pytest.mark.timeout(600)
async def test_whatever_is_lost_doubled_or_killed_every_call_ends_once_and_the_books_agree() -> (
    None
):
    outcome = await storm(CALLS, seed=7, show=lambda _: None)
    assert outcome.faults == []
    assert outcome.calls == CALLS
    assert min(outcome.mishaps[each] for each in ("lost", "doubled", "reordered")) > 0
    assert len(outcome.deaths) == 3
