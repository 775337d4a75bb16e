from __future__ import annotations

from pipelines.engine.speaking_limit import SpeakingLimit
from pipelines.engine.speaking_pace import SpeakingPace
from pipelines.texts.utterance import MOST_CHARACTERS_OF_TEXT


def allowing(
    max_seconds: float, *, pace: SpeakingPace | None = None, before: float = 0.0
) -> SpeakingLimit:
    return SpeakingLimit(max_seconds, pace or SpeakingPace(), before)


def said(limit: SpeakingLimit, *pieces: str) -> str:
    return "".join(limit.take(piece) for piece in pieces)


def test_a_short_answer_passes_whole() -> None:
    assert said(allowing(60), "Hello. ", "How are you?") == "Hello. How are you?"


def test_ends_with_the_sentence_that_reaches_the_limit() -> None:
    assert said(allowing(2), "Twelve chars. ", "And then some more. ", "Never.") == (
        "Twelve chars. And then some more."
    )


def test_pieces_of_a_sentence_are_not_cut_between_pieces() -> None:
    pieces = ("One two three four five", " six seven", " ok.", " No.")
    assert said(allowing(2), *pieces) == "One two three four five six seven ok."


def test_a_sentence_without_end_is_cut_at_a_quarter_over() -> None:
    assert len(said(allowing(4), "word " * 100)) == 75


def test_seconds_are_those_of_the_voice() -> None:
    slow = SpeakingPace()
    slow.spoke(characters=100, seconds=20.0)
    assert said(allowing(2, pace=slow), "Ten chars. ", "Never.") == "Ten chars."


def test_before_the_voice_has_spoken_the_language_decides() -> None:
    sentences = "我们今天营业。" * 10
    assert said(allowing(4, pace=SpeakingPace("zh-CN")), sentences) == "我们今天营业。" * 3
    assert said(allowing(4, pace=SpeakingPace("en-US")), sentences) == "我们今天营业。" * 7


def test_sentences_of_other_scripts_end_too() -> None:
    for sentence in ("ہم کھلے ہیں۔ ", "هل أنت بخير؟ ", "हम खुले हैं। "):
        assert said(allowing(2), sentence * 20) == (sentence * 2).rstrip()


def test_a_moment_of_speech_proves_no_pace() -> None:
    pace = SpeakingPace()
    pace.spoke(characters=1, seconds=2.0)
    assert pace.characters_per_second == 15
    pace.spoke(characters=59, seconds=3.0)
    assert pace.characters_per_second == 12
    pace.spoke(characters=100_000, seconds=0.0)
    assert pace.characters_per_second == 12


def test_what_the_turn_has_already_counts() -> None:
    assert said(allowing(4, before=3.4), "Ten chars. ", "Never.") == "Ten chars."


def test_a_full_turn_still_ends_with_one_sentence() -> None:
    assert said(allowing(4, before=33), "There is a table at seven. ", "Never.") == (
        "There is a table at seven."
    )
    assert len(said(allowing(4, before=33), "word " * 100)) == 150


def test_a_sentence_that_took_longer_than_expected_was_the_last_one() -> None:
    limit = allowing(10)
    assert said(limit, "It is 8 4 0, 5 1 2, 7 3 3, 6 6 1, 8 9 4, 2 7 1, 4 5 9, 8 8 0, 3 1 1. ")
    assert limit.asks_for_sound
    limit.sounded(9.5)
    assert said(limit, "Never.") == ""


def test_a_sentence_that_was_quick_leaves_time_for_others() -> None:
    limit = allowing(10)
    words = "word " * 25 + "end."
    assert said(limit, f"{words} ") == words
    limit.sounded(1.0)
    assert said(limit, "And this. ", words) == f" And this. {words}"


def test_nobody_waits_for_sound_far_from_the_limit_or_within_a_sentence() -> None:
    limit = allowing(10)
    said(limit, "Good morning. ")
    assert not limit.asks_for_sound
    said(limit, "word " * 15)
    assert not limit.asks_for_sound


def test_sound_is_limited_to_a_quarter_over_and_one_sentence_in_a_full_turn() -> None:
    assert allowing(10).most_seconds == 12.5
    assert allowing(10, before=5).most_seconds == 10
    assert allowing(10, before=12).most_seconds == 10


def test_a_limit_of_hours_ends_where_every_text_does() -> None:
    assert len(said(allowing(1_000_000), "word " * 10_000)) == MOST_CHARACTERS_OF_TEXT
