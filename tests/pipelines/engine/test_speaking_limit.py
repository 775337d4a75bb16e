from __future__ import annotations

from pipelines.engine.speaking_limit import SpeakingLimit


def said(limit: SpeakingLimit, *pieces: str) -> str:
    return "".join(limit.take(piece) for piece in pieces)


def test_a_short_answer_passes_whole() -> None:
    assert said(SpeakingLimit(60), "Hello. ", "How are you?") == "Hello. How are you?"


def test_ends_with_the_sentence_that_reaches_the_limit() -> None:
    assert said(SpeakingLimit(2), "Twelve chars. ", "And then some more. ", "Never.") == (
        "Twelve chars. And then some more."
    )


def test_pieces_of_a_sentence_are_not_cut_between_pieces() -> None:
    pieces = ("One two three four five", " six seven", " ok.", " No.")
    assert said(SpeakingLimit(2), *pieces) == "One two three four five six seven ok."


def test_a_sentence_without_end_is_cut_at_a_quarter_over() -> None:
    assert len(said(SpeakingLimit(4), "word " * 100)) == 75
