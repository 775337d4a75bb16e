from __future__ import annotations

from livekit.agents import LanguageCode
from livekit.agents.stt import SpeechData, SpeechEvent, SpeechEventType

from pipelines.engine.channels.stt.spoken_events import SpokenEvents, has_words

START = SpeechEvent(SpeechEventType.START_OF_SPEECH)
END = SpeechEvent(SpeechEventType.END_OF_SPEECH)


def final(text: str) -> SpeechEvent:
    return SpeechEvent(
        SpeechEventType.FINAL_TRANSCRIPT,
        alternatives=[SpeechData(language=LanguageCode("en"), text=text)],
    )


def kinds(events: list[SpeechEvent]) -> list[str]:
    return [event.type.value for event in events]


def passed(*steps: tuple[SpeechEvent, bool]) -> list[str]:
    spoken = SpokenEvents()
    return kinds(
        [each for event, speaks in steps for each in spoken.pass_on(event, is_speaking=speaks)]
    )


def test_the_events_of_one_recogniser_pass_as_they_are():
    told = passed((START, True), (final("a"), True), (END, False))
    assert told == ["start_of_speech", "final_transcript", "end_of_speech"]


def test_the_next_recognisers_start_of_the_same_speech_is_not_told_again():
    told = passed((START, True), (START, True), (final("a"), True), (END, False))
    assert told == ["start_of_speech", "final_transcript", "end_of_speech"]


def test_words_of_a_recogniser_that_had_already_begun_get_their_start():
    assert passed((final("a"), True), (END, False)) == [
        "start_of_speech",
        "final_transcript",
        "end_of_speech",
    ]


def test_words_of_a_recogniser_that_had_already_ended_get_their_end():
    told = passed((START, True), (final("a"), False))
    assert told == ["start_of_speech", "final_transcript", "end_of_speech"]


def test_an_end_that_comes_before_the_words_stays_where_it_is():
    told = passed((START, True), (END, False), (final("a"), False))
    assert told == ["start_of_speech", "end_of_speech", "final_transcript"]


def test_an_empty_text_has_no_words():
    assert not has_words(final(" "))
    assert not has_words(START)
    assert has_words(final("yes"))
