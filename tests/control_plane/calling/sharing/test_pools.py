from __future__ import annotations

import random

import pytest

from contracts.money import BILLING_INCREMENT_SECONDS, billable_seconds
from control_plane.calling.sharing.pools import SHORTEST_CALL_SECONDS, Pool, Use


def test_use_is_counted_to_the_second() -> None:
    assert Pool(3, Use(used_seconds=47, billed_seconds=60)).remaining_seconds == 133


def test_what_running_calls_may_use_is_not_given_to_others() -> None:
    use = Use(reserved_seconds=120, reserved_billed_seconds=120, live_calls=1)
    assert Pool(3, use).remaining_seconds == 60
    assert Pool(3, use).longest_call_seconds(300) == 60
    assert not Pool(3, use).is_used_up, "the call that runs may leave something"


@pytest.mark.parametrize("left", [0, SHORTEST_CALL_SECONDS - 1])
def test_nobody_begins_a_call_of_a_few_seconds(left: int) -> None:
    pool = Pool(1, Use(used_seconds=60 - left, billed_seconds=60))
    assert pool.longest_call_seconds(300) == 0
    assert pool.is_used_up


def test_the_last_increment_may_stand_over_the_minutes() -> None:
    pool = Pool(1, Use(used_seconds=40, billed_seconds=60))
    assert pool.longest_call_seconds(300) == 20


def test_very_short_calls_cannot_cost_more_than_the_minutes_and_one_increment() -> None:
    used = billed = calls = 0
    while Pool(3, Use(used, billed)).longest_call_seconds(300):
        used, billed, calls = used + 1, billed + BILLING_INCREMENT_SECONDS, calls + 1
    assert (calls, billed) == (7, 180 + BILLING_INCREMENT_SECONDS)
    assert Pool(3, Use(used, billed)).is_used_up


def test_no_sequence_of_calls_uses_or_costs_more() -> None:
    chance = random.Random(7)
    for _ in range(2_000):
        minutes, running = chance.randint(0, 6), list[int]()
        used = billed = 0
        for _ in range(40):
            use = Use(
                used,
                billed,
                sum(running),
                sum(billable_seconds(seconds * 1000) for seconds in running),
                len(running),
            )
            pool = Pool(minutes, use)
            if running and chance.random() < 0.5:
                seconds = chance.randint(0, running.pop(chance.randrange(len(running))))
                used, billed = used + seconds, billed + billable_seconds(seconds * 1000)
            elif seconds := pool.longest_call_seconds(chance.randint(30, 300)):
                running.append(seconds)
            assert used + sum(running) <= minutes * 60
            assert billed <= minutes * 60 + BILLING_INCREMENT_SECONDS
            assert pool.remaining_seconds >= 0
