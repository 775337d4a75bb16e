from __future__ import annotations

import pytest

from pipelines.texts.utterance import (
    LONGEST_PIECE,
    MOST_CHARACTERS,
    MOST_UTTERANCES,
    SENTENCE_END,
    TextPieces,
    parts,
    utterances,
)

SENTENCE = "We are open from Monday to Friday, until six in the evening. "


def pieces(text: str, characters_at_once: int) -> list[str]:
    cut = TextPieces()
    chunks = (text[at : at + characters_at_once] for at in range(0, len(text), characters_at_once))
    return [piece for chunk in chunks for piece in cut.take(chunk)] + [cut.rest()]


@pytest.mark.parametrize("characters_at_once", [1, 7, 10_000])
@pytest.mark.parametrize("text", [SENTENCE * 50, "  two  blanks  ", "你好，世界。" * 50, "ก" * 300])
def test_nothing_is_lost_or_added(text: str, characters_at_once: int) -> None:
    assert "".join(pieces(text, characters_at_once)) == text


@pytest.mark.parametrize("characters_at_once", [1, 7, 10_000])
def test_an_overlong_word_gets_spaces(characters_at_once: int) -> None:
    cut = pieces("x" * 150, characters_at_once)
    assert "".join(cut).split() == ["x" * 64, "x" * 64, "x" * 22]


@pytest.mark.parametrize("text", [SENTENCE * 50, "x" * 5_000, "!" * 5_000, " " * 5_000])
def test_pieces_are_short(text: str) -> None:
    assert max(map(len, pieces(text, 10_000))) <= LONGEST_PIECE + 1


def test_pieces_end_with_sentences() -> None:
    assert pieces("Hello. How are you? Fine", 100) == ["Hello. ", "How are you? ", "Fine"]


@pytest.mark.parametrize(
    "sentence",
    ["आज खुला है।", "كيف حالك؟", "ہم کھلے ہیں۔", "Մենք բաց ենք։", "ክፍት ነን።", "យើងបើក។"],
)
def test_sentences_end_in_every_script(sentence: str) -> None:
    assert pieces(f"{sentence} {sentence} ", 100) == [f"{sentence} ", f"{sentence} ", ""]
    assert SENTENCE_END.search(sentence)


def test_parts_end_with_sentences_if_they_can() -> None:
    cut = list(parts(SENTENCE * 50, 400))
    assert max(map(len, cut)) <= 400
    assert all(part.endswith("evening. ") for part in cut)


def test_parts_of_a_long_sentence_end_with_words() -> None:
    cut = list(parts("hello " * 500, 400))
    assert max(map(len, cut)) <= 400
    assert all(part.endswith("hello ") for part in cut)


def test_a_long_word_is_cut_anywhere() -> None:
    cut = list(parts("x" * 5_000, 400))
    assert max(map(len, cut)) <= 400


def test_a_text_is_said_in_a_few_utterances() -> None:
    said = utterances(SENTENCE * 1_000)
    assert len(said) == MOST_UTTERANCES
    assert max(map(len, said)) <= MOST_CHARACTERS


def test_an_ordinary_text_is_one_utterance() -> None:
    assert utterances(f" {SENTENCE}") == [SENTENCE.strip()]
    assert utterances("  ") == []
