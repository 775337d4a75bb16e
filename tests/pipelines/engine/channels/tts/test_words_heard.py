from __future__ import annotations

import pytest

from pipelines.engine.channels.tts.words_heard import SpeakableText, understood

TEXT = "Please bring your insurance card – and a list, Dr. Miller said, that you take."


@pytest.mark.parametrize(
    ("heard", "words", "invented"),
    [
        ("", 0, 0),
        ("Please bring", 2, 0),
        ("please BRING your insurance card", 5, 0),
        ("Please bring your insurances card and", 6, 0),
        ("Please bring their insurance card", 5, 0),
        ("Please bring your insurance card. Thank you.", 5, 2),
        ("Please bring your insurance card and a list of 10-year-old", 8, 2),
        ("Please bring your insurance card and a list doctor Miller", 10, 0),
        ("Something else", 0, 2),
    ],
)
def test_what_was_said_ends_with_the_last_word_that_was_understood(
    heard: str, words: int, invented: int
) -> None:
    said = understood(SpeakableText.of(TEXT), heard)
    assert (said.words, said.invented) == (words, invented)


def test_a_word_that_comes_twice_is_found_where_it_is_expected() -> None:
    text = SpeakableText.of("We are open and you are open and they are open and so on.")
    assert understood(text, "are open", 5).words == 7
    assert understood(text, "are open", 9).words == 11


def test_the_rest_begins_with_a_word_and_skips_what_is_not_heard() -> None:
    text = SpeakableText.of(TEXT)
    assert TEXT[text.rest_after(5) :].startswith("and a list")
    assert text.rest_after(0) == 0
    assert text.rest_after(len(text.words)) == len(TEXT)


def test_a_word_counts_as_said_when_most_of_it_is() -> None:
    text = SpeakableText.of("Good afternoon everybody")
    assert [text.words_within(letters) for letters in (0, 4, 8, 13, 24)] == [0, 1, 1, 2, 3]


def test_scripts_without_spaces_are_counted_by_characters() -> None:
    text = SpeakableText.of("今日は良い天気です。")
    assert text.rest_after(3) == 3
