from __future__ import annotations

from pipelines.engine.channels.llm.unanswered_turns import UnansweredTurns


def test_turns_in_a_row_are_counted_however_often_each_was_tried() -> None:
    turns = UnansweredTurns()
    assert [turns.unanswered(turn) for turn in (1, 1, 2, 2)] == [1, 1, 2, 2]


def test_an_answer_begins_the_count_again() -> None:
    turns = UnansweredTurns()
    turns.unanswered(1)
    turns.answered()
    assert turns.unanswered(2) == 1
