"""What of voice to voice counts as ours."""

from __future__ import annotations

from bench.density.own_share import AgentTurn, shares

OPENER = AgentTurn(300, None)


def test_the_longer_of_end_of_turn_and_vendors_is_not_ours() -> None:
    turns = [OPENER, AgentTurn(5_300, 350), AgentTurn(9_300, 700)]
    found = shares([(5_000, 700), (9_000, 800)], turns, vendors_ms=650)
    assert found.ours_ms == [50, 100]
    assert found.end_of_turn_ms == [350, 700]


def test_an_answer_belongs_to_the_turn_that_began_when_it_was_heard() -> None:
    turns = [OPENER, AgentTurn(3_000, 900), AgentTurn(5_280, 400)]
    assert shares([(5_000, 460)], turns, vendors_ms=0).ours_ms == [60]


def test_an_answer_that_no_turn_explains_is_left_out() -> None:
    assert shares([(5_000, 460)], [OPENER, AgentTurn(8_000, 400)], 0).ours_ms == []
    assert shares([(5_000, 460)], [], 0).ours_ms == []


def test_a_turn_without_an_end_of_turn_is_left_out() -> None:
    assert shares([(5_000, 460)], [OPENER, AgentTurn(5_300, None)], 0).ours_ms == []
