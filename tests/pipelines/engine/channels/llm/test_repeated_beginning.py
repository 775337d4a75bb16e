"""What a model repeats when it continues an answer, and what only looks like it."""

from __future__ import annotations

import re

import pytest

from pipelines.engine.channels.llm.repeated_beginning import RepeatedBeginning


def new(given: str, continuation: str) -> str:
    """What of ``continuation`` is heard: the same at once and word by word."""
    pieces = re.findall(r"\S*\s|\S+$", continuation)
    heard = _heard(given, pieces)
    assert heard == _heard(given, [continuation])
    return heard


def _heard(given: str, pieces: list[str]) -> str:
    repeated = RepeatedBeginning(given)
    return "".join(repeated.take(piece) for piece in pieces) + repeated.rest()


@pytest.mark.parametrize(
    ("given", "continuation", "heard"),
    [
        ("We are open ", "from eight.", "from eight."),
        ("We are open ", " from eight.", "from eight."),
        ("We are open ", "open from eight.", "from eight."),
        ("We are open ", "We are open from eight.", "from eight."),
        ("We are open ", "…we are OPEN, from eight.", "from eight."),
        ("Hello, Anna. We are open ", "We are open from eight.", "from eight."),
        ("Yes. We are open, we are ", "we are open, we are closed.", "closed."),
        ("We are open ", "We are open", ""),
        ("We are open ", "We are open on Mondays.", "on Mondays."),
        ("We are open ", "We were closed.", "We were closed."),
        ("", "We are open.", "We are open."),
        ("हम सोमवार को ", "हम सोमवार को खुले हैं।", "खुले हैं।"),
        ("我们营业", "我们营业到六点。", "到六点。"),
        ("我们营业", "到六点。", "到六点。"),
    ],
)
def test_a_repetition_is_cut_and_nothing_else(given: str, continuation: str, heard: str) -> None:
    assert new(given, continuation) == heard


@pytest.mark.parametrize(
    ("given", "continuation"),
    [("My number is 0 1 5 5 ", "5 1 2."), ("That is A N N ", "N E.")],
)
def test_numbers_and_spelled_names_are_no_repetition(given: str, continuation: str) -> None:
    assert new(given, continuation) == continuation


def test_words_are_held_back_only_while_they_may_be_a_repetition() -> None:
    repeated = RepeatedBeginning("We are open ")
    assert repeated.take("We ") == ""
    assert repeated.take("were ") == "We were "
    assert repeated.take("are ") == "are "


def test_a_long_answer_that_is_repeated_as_a_whole_is_cut() -> None:
    given = " ".join(f"word{number % 7} end{number}" for number in range(1_000)) + " "
    assert new(given, given + "and more.") == "and more."
