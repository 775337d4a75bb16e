from __future__ import annotations

from control_plane.platform.rate_limits.local_counters import LocalCounters
from control_plane.platform.rate_limits.quota import WINDOW_SECONDS, Policy, Quota

KEY, ADDRESS = Policy("key", 3), Policy("address", 5)


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_a_limit_holds_for_each_client() -> None:
    counters = LocalCounters(Clock())
    assert [counters.count_request({KEY: "a"}) for _ in range(3)] == [None] * 3
    assert counters.count_request({KEY: "a"}) == Quota(KEY, 0, WINDOW_SECONDS)
    assert counters.count_request({KEY: "b"}) is None


def test_a_refusal_says_when_the_window_ends() -> None:
    clock = Clock()
    counters = LocalCounters(clock)
    for _ in range(3):
        counters.count_request({KEY: "a"})
    clock.now += 20.5
    refused = counters.count_request({KEY: "a"})
    assert refused is not None
    assert refused.reset_seconds == WINDOW_SECONDS - 20
    clock.now += refused.reset_seconds
    assert counters.count_request({KEY: "a"}) is None


def test_every_policy_counts_until_one_is_used_up() -> None:
    counters = LocalCounters(Clock())
    for number in range(5):
        assert counters.count_request({KEY: f"key {number}", ADDRESS: "here"}) is None
    refused = counters.count_request({KEY: "key 5", ADDRESS: "here"})
    assert refused is not None
    assert refused.policy == ADDRESS


def test_what_it_remembers_is_bounded_and_strangers_then_share_a_limit() -> None:
    counters = LocalCounters(Clock(), most_clients=10)
    for number in range(10):
        counters.count_request({KEY: f"known {number}"})
    answers = [counters.count_request({KEY: f"new {number}"}) for number in range(100)]
    assert [answer is None for answer in answers] == [True] * 3 + [False] * 97
    assert counters.count_request({KEY: "known 1"}) is None
    assert len(counters._counts) <= 11
