from __future__ import annotations

from livekit.agents import llm

from pipelines.engine.speaking_limit import SpeakingLimit, said_in_turn
from pipelines.engine.speaking_pace import SpeakingPace
from pipelines.texts.utterance import MOST_CHARACTERS_OF_TEXT


def allowing(
    max_seconds: float, *, pace: SpeakingPace | None = None, said: int = 0
) -> SpeakingLimit:
    return SpeakingLimit(max_seconds, pace or SpeakingPace(), said)


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
    assert said(allowing(4, pace=SpeakingPace("en-US")), sentences) == "我们今天营业。" * 8


def test_a_moment_of_speech_proves_no_pace() -> None:
    pace = SpeakingPace()
    pace.spoke(characters=1, seconds=2.0)
    assert pace.characters_per_second == 15
    pace.spoke(characters=59, seconds=3.0)
    assert pace.characters_per_second == 12
    pace.spoke(characters=100_000, seconds=0.0)
    assert pace.characters_per_second == 12


def test_what_the_turn_has_already_counts() -> None:
    assert said(allowing(4, said=50), "Ten chars. ", "Never.") == "Ten chars."


def test_a_full_turn_still_ends_with_one_sentence() -> None:
    assert said(allowing(4, said=500), "There is a table at seven. ", "Never.") == (
        "There is a table at seven."
    )
    assert len(said(allowing(4, said=500), "word " * 100)) == 150


def test_a_turn_begins_with_the_callers_last_words() -> None:
    history = llm.ChatContext.empty()
    assert said_in_turn(history) == 0
    history.add_message(role="assistant", content="Hello there.")
    history.add_message(role="user", content="Is there a table?")
    assert said_in_turn(history) == 0
    history.add_message(role="assistant", content="Let me see.")
    history.items.append(llm.FunctionCall(call_id="1", name="look_up", arguments="{}"))
    history.add_message(role="assistant", content="One moment.")
    assert said_in_turn(history) == 22


def test_a_limit_of_hours_ends_where_every_text_does() -> None:
    assert len(said(allowing(1_000_000), "word " * 10_000)) == MOST_CHARACTERS_OF_TEXT
