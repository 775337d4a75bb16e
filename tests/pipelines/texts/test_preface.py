from __future__ import annotations

import pytest

from pipelines.texts.preface import is_preface

OPEN = "How can I help you?"


@pytest.mark.parametrize(
    "text",
    [
        "Hi.",
        "Good morning!",
        "Hello, this is Anna Miller.",
        "My name is Peter.",
        "Hello. I have a question.",
        "I just have a quick question",
        "I've got a problem.",
        "Can I ask you something?",
        "Well, let me see.",
        "One moment, please.",
        "One more thing.",
    ],
)
def test_after_a_sentence_that_only_begins_something_more_follows(text: str) -> None:
    assert is_preface(text, OPEN)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would like to book an appointment.",
        "Hello, I would like to book an appointment.",
        "I have a question about my bill.",
        "This is too expensive for me, sorry.",
        "Yes.",
        "No, thank you.",
        "When are you open?",
    ],
)
def test_a_sentence_that_says_something_is_none(text: str) -> None:
    assert not is_preface(text, OPEN)


def test_a_greeting_with_a_question_mark_wants_an_answer() -> None:
    assert not is_preface("Hello?", OPEN)


def test_a_name_is_the_answer_to_who_it_is() -> None:
    assert is_preface("My name is Anna.", OPEN)
    assert not is_preface("My name is Anna.", "May I have your name?")
    assert not is_preface("This is Anna Miller.", "Who am I speaking to?")


def test_yes_is_only_a_beginning_where_the_agent_has_asked_for_more() -> None:
    for text in ("Yes.", "Yes, there is.", "Yes, please."):
        assert is_preface(text, "Is there anything else I can do for you?")
        assert not is_preface(text, "Did you restart the box?")
