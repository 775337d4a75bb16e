from __future__ import annotations

from typing import Any

import pytest

from contracts.agent_config import Advanced
from pipelines.engine.endpointing import default_delays, delays_after


def advanced(**fields: Any) -> Advanced:
    return Advanced.model_validate(fields)


def test_an_unsure_end_of_turn_waits_longer_than_a_sure_one() -> None:
    delays = default_delays(advanced())
    assert delays.min_seconds < delays.max_seconds <= 1.0


def test_without_smart_endpointing_there_is_one_wait() -> None:
    delays = default_delays(advanced(smartEndpointing=False))
    assert delays.min_seconds == delays.max_seconds == 0.5


def test_reply_delay_comes_on_top() -> None:
    plain, delayed = default_delays(advanced()), default_delays(advanced(replyDelay=700))
    assert delayed.min_seconds == pytest.approx(plain.min_seconds + 0.7)
    assert delayed.max_seconds == pytest.approx(plain.max_seconds + 0.7)


@pytest.mark.parametrize(
    ("text", "wait_seconds"),
    [
        ("I live in Rome.", 0.9),
        ("I live in", 1.4),
        ("my number is five five one", 2.0),
        ("it is 5550134.", 2.0),
        ("bis zum Ende!", 0.9),
        ("میں روم میں رہتا ہوں۔", 0.9),
        ("هل أنتم مفتوحون؟", 0.9),
    ],
)
def test_an_owner_s_own_waits_follow_the_words(text: str, wait_seconds: float) -> None:
    own = advanced(waitAfterSentence=900, waitAfterNoPunctuation=1400, waitAfterNumbers=2000)
    delays = delays_after(text, own, "en-US")
    assert delays.min_seconds == wait_seconds
    assert delays.max_seconds >= wait_seconds


def test_numbers_count_in_the_language_of_the_call() -> None:
    own = advanced(waitAfterSentence=900, waitAfterNumbers=2000)
    assert delays_after("Meine Nummer ist fünf.", own, "de-DE").min_seconds == 2.0
    assert delays_after("Meine Nummer ist fünf.", own, "en-US").min_seconds == 0.9


def test_words_change_nothing_where_the_owner_set_no_wait() -> None:
    assert delays_after("I live in Rome.", advanced(), "en-US") == default_delays(advanced())


@pytest.mark.parametrize("text", ["Yes.", "No", "No, thank you.", "yes please!"])
def test_a_complete_short_answer_shortens_the_doubt(text: str) -> None:
    assert (
        delays_after(text, advanced(), "en-US").max_seconds < default_delays(advanced()).max_seconds
    )


def test_a_short_answer_that_goes_on_does_not() -> None:
    assert delays_after("No, I would", advanced(), "en-US") == default_delays(advanced())


def test_a_short_answer_never_waits_longer_than_any_other() -> None:
    eager = advanced(smartEndpointing=False)
    assert delays_after("Yes.", eager, "en-US") == default_delays(eager)


def test_the_agent_waits_as_in_doubt_after_a_sentence_that_only_begins_something() -> None:
    doubt_seconds = default_delays(advanced()).max_seconds
    asked = "How can I help you?"
    for text in ("Good morning.", "Hello, this is Anna.", "I have a question."):
        assert delays_after(text, advanced(), "en-US", asked=asked).min_seconds == doubt_seconds


def test_a_name_that_was_asked_for_is_a_whole_answer() -> None:
    delays = delays_after("My name is Anna.", advanced(), "en-US", asked="May I have your name?")
    assert delays == default_delays(advanced())


def test_what_begins_something_is_known_in_english_only() -> None:
    assert delays_after("Actually", advanced(), "de-DE") == default_delays(advanced())


def test_an_owner_s_own_waits_come_before_that_for_a_beginning() -> None:
    own = advanced(waitAfterSentence=400)
    assert delays_after("Good morning.", own, "en-US").min_seconds == 0.4
    eager = advanced(smartEndpointing=False)
    assert delays_after("Good morning.", eager, "en-US") == default_delays(eager)
