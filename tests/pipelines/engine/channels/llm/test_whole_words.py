from __future__ import annotations

import pytest

from pipelines.engine.channels.llm.whole_words import WholeWords
from pipelines.texts.utterance import TextPieces


def taken(*pieces: str) -> list[str]:
    words = WholeWords()
    return [*(words.take(piece) for piece in pieces), words.rest()]


def test_a_word_goes_out_when_the_next_begins() -> None:
    assert taken("Mon", "day", " to", " Friday", ".") == ["", "", "Monday ", "to ", "", "Friday."]


def test_a_space_alone_does_not_go_out() -> None:
    assert taken(" ", "Yes", " ") == ["", "", " Yes ", ""]


def test_text_without_spaces_goes_out_at_once() -> None:
    assert taken("我们", "营业") == ["我们", "营业", ""]


def test_a_word_without_end_goes_out() -> None:
    assert "".join(taken(*["a" * 50] * 3)[:3]) != ""


@pytest.mark.parametrize("text", ["", "  ", "a", "We  are\nopen. ", "营业 a 到"])
def test_nothing_is_lost(text: str) -> None:
    assert "".join(taken(*text)) == text


def test_who_speaks_the_text_waits_no_longer() -> None:
    """The speech begins with the same token, with and without it."""
    tokens = ["Hello", ",", " we", " are", " open", " from", " eight", ".", " And", " on"]
    words, through, direct = WholeWords(), TextPieces(), TextPieces()
    for token in tokens:
        assert list(through.take(words.take(token))) == list(direct.take(token))
