from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from carriers.reorder_window import MAX_LATE_IN_A_ROW, WINDOW, ReorderWindow


def _all(window: ReorderWindow[int], numbers: list[int]) -> list[int]:
    passed = [piece for number in numbers for piece in window.put(number, number)]
    return passed + window.rest()


def test_what_comes_in_order_is_passed_on_at_once() -> None:
    window = ReorderWindow[int]()
    assert [window.put(number, number) for number in (1, 2, 3)] == [[1], [2], [3]]


def test_numbers_may_begin_at_zero_or_one() -> None:
    for first in (0, 1):
        window = ReorderWindow[int]()
        assert window.put(first, first) == [first]


def test_two_pieces_that_changed_places_are_put_right() -> None:
    window = ReorderWindow[int]()
    assert [window.put(number, number) for number in (1, 3, 2, 4)] == [[1], [], [2, 3], [4]]


def test_a_lost_piece_holds_up_no_more_than_the_window() -> None:
    window = ReorderWindow[int]()
    assert [window.put(number, number) for number in (1, 3, 4, 5, 6)] == [
        [1],
        [],
        [],
        [3, 4, 5],
        [6],
    ]


def test_a_piece_that_comes_too_late_or_twice_is_dropped() -> None:
    assert _all(ReorderWindow[int](), [1, 1, 2, 5, 5, 6, 7, 3, 8]) == [1, 2, 5, 6, 7, 8]


def test_the_rest_comes_at_the_end() -> None:
    window = ReorderWindow[int]()
    window.put(1, 1)
    window.put(4, 4)
    window.put(3, 3)
    assert window.rest() == [3, 4]


def test_numbers_that_begin_again_are_followed() -> None:
    window = ReorderWindow[int]()
    _all(window, list(range(1, 1001)))
    assert _all(window, list(range(1, 101)))[-1] == 100
    assert len(_all(window, list(range(101, 201)))) == 100
    assert MAX_LATE_IN_A_ROW < 100


@given(st.integers(2, 25).flatmap(lambda size: st.permutations(range(1, size))))
def test_no_order_makes_it_pass_a_piece_twice_or_out_of_order(numbers: list[int]) -> None:
    passed = _all(ReorderWindow[int](), list(numbers))
    assert passed == sorted(set(passed))


@given(st.lists(st.integers(0, WINDOW), min_size=20, max_size=60))
def test_pieces_that_are_no_more_than_a_window_late_all_arrive_in_order(delays: list[int]) -> None:
    late = sorted(
        range(1, len(delays) + 1),
        key=lambda number: (number + delays[number - 1], number),
    )
    passed = _all(ReorderWindow[int](), late)
    assert passed == list(range(1, len(delays) + 1))
