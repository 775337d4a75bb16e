"""Who uses little of the processor does not wait for those who use much."""

from __future__ import annotations

import pytest

from control_plane.platform.processor.virtual_clocks import (
    BURST_SECONDS,
    LATELY_SECONDS,
    MOST_AHEAD_SECONDS,
    SHARE,
    VirtualClocks,
)

NOW = 1_000.0


@pytest.fixture
def clocks() -> VirtualClocks[str]:
    return VirtualClocks()


def test_clients_within_their_share_are_served_in_the_order_of_arrival(
    clocks: VirtualClocks[str],
) -> None:
    clocks.used("a", 0.1 * SHARE, NOW - 0.2)
    clocks.wait("b", "first", NOW)
    clocks.wait("a", "second", NOW)
    clocks.wait("b", "third", NOW)
    assert [clocks.next() for _ in range(3)] == ["first", "second", "third"]


def test_who_has_used_more_than_a_share_is_served_after_the_others(
    clocks: VirtualClocks[str],
) -> None:
    clocks.used("greedy", 0.1, NOW)
    clocks.wait("greedy", "greedy", NOW)
    clocks.wait("modest", "modest", NOW)
    assert [clocks.next(), clocks.next()] == ["modest", "greedy"]


def test_a_request_that_takes_its_time_at_once_is_within_its_share(
    clocks: VirtualClocks[str],
) -> None:
    clocks.used("modest", BURST_SECONDS * SHARE / 2, NOW)
    clocks.wait("modest", "modest", NOW)
    assert not clocks.all_beyond_share(NOW)
    clocks.used("greedy", BURST_SECONDS * SHARE * 2, NOW)
    assert clocks.next() == "modest"
    clocks.wait("greedy", "greedy", NOW)
    assert clocks.all_beyond_share(NOW)


def test_of_two_greedy_clients_the_one_that_used_less_is_first(clocks: VirtualClocks[str]) -> None:
    clocks.used("greedier", 0.03, NOW)
    clocks.used("greedy", 0.02, NOW)
    clocks.wait("greedier", "greedier", NOW)
    clocks.wait("greedy", "greedy", NOW)
    assert [clocks.next(), clocks.next()] == ["greedy", "greedier"]


def test_each_work_of_a_client_with_much_waiting_counts_for_the_next(
    clocks: VirtualClocks[str],
) -> None:
    for number in range(3):
        clocks.wait("greedy", f"greedy {number}", NOW)
    clocks.wait("modest", "modest", NOW)

    assert clocks.next() == "greedy 0"
    clocks.used("greedy", 0.01, NOW)
    assert [clocks.next() for _ in range(3)] == ["modest", "greedy 1", "greedy 2"]


def test_what_was_used_alone_is_forgotten_soon(clocks: VirtualClocks[str]) -> None:
    for tenth in range(100):
        clocks.used("greedy", 0.1, NOW + tenth / 10)
    later = NOW + 9.9 + MOST_AHEAD_SECONDS
    clocks.wait("greedy", "greedy", later)
    clocks.wait("modest", "modest", later)
    assert clocks.next() == "greedy"


def test_greedy_clients_are_served_at_last_whatever_others_ask_for(
    clocks: VirtualClocks[str],
) -> None:
    clocks.used("greedy", 10.0, NOW)
    clocks.wait("greedy", "greedy", NOW)
    after = NOW + MOST_AHEAD_SECONDS + 0.001
    clocks.wait("modest", "modest", after)
    assert clocks.next() == "greedy"


def test_a_client_has_rivals_while_others_are_served_or_wait(clocks: VirtualClocks[str]) -> None:
    assert not clocks.has_rivals("a", NOW)
    clocks.used("a", 0.01, NOW)
    assert not clocks.has_rivals("a", NOW)
    assert clocks.has_rivals("b", NOW)

    clocks.used("b", 0.01, NOW)
    clocks.used("b", 0.01, NOW + 0.01)
    assert clocks.has_rivals("a", NOW + LATELY_SECONDS)
    assert clocks.has_rivals("b", NOW + LATELY_SECONDS - 0.001)
    assert not clocks.has_rivals("b", NOW + LATELY_SECONDS)

    clocks.wait("a", "work", NOW + 10)
    assert clocks.has_rivals("b", NOW + 10)
    clocks.next()
    assert not clocks.has_rivals("b", NOW + 10)


def test_without_work_there_is_no_next_one(clocks: VirtualClocks[str]) -> None:
    with pytest.raises(IndexError):
        clocks.next()
