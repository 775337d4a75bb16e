from __future__ import annotations

from livekit.agents.types import TimedString

from pipelines.engine.channels.tts.timed_words import TimedWords


def word(text: str, start: float, end: float) -> TimedString:
    return TimedString(text, start_time=start, end_time=end)


def test_words_are_in_the_sound_when_they_have_ended() -> None:
    timed = TimedWords()
    timed.add([word("We ", 0.0, 0.2), word("are ", 0.2, 0.5), word("open ", 0.5, 1.0)], 0.0)
    assert timed.until(0.7) == ["We", "are"]
    assert timed.end_of(2) == 0.5


def test_times_that_begin_again_are_those_of_the_next_piece_of_sound() -> None:
    timed = TimedWords()
    timed.add([word("We ", 0.0, 0.2), word("are ", 0.2, 0.5)], 0.0)
    timed.add([word("open ", 0.0, 0.4)], 0.6)
    assert timed.until(0.9) == ["We", "are"]
    assert timed.until(1.0) == ["We", "are", "open"]


def test_the_last_word_is_told_late() -> None:
    timed = TimedWords()
    timed.add([word("We ", 0.0, 0.2), word("are ", 0.2, 0.5)], 0.0)
    assert timed.may_be_all("We are open.")
    assert not timed.may_be_all("We are open today.")
