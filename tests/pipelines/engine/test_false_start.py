from __future__ import annotations

from livekit.agents import llm

from pipelines.engine.false_start import without_false_starts

PACE = 15.0
"""Characters a second."""


def said(*turns: tuple[str, str], interrupted: bool = True) -> llm.ChatContext:
    """``interrupted``: the agent, each time but the last."""
    history = llm.ChatContext.empty()
    for role, text in turns:
        history.add_message(
            role="user" if role == "caller" else "assistant",
            content=text,
            interrupted=interrupted and role == "agent",
        )
    return history


def heard_by_model(history: llm.ChatContext) -> list[tuple[str, str]]:
    messages = without_false_starts(history, PACE).messages()
    return [(message.role, message.text_content or "") for message in messages]


def test_both_sentences_of_a_caller_who_went_on_are_one_message() -> None:
    history = said(
        ("caller", "I need an appointment."), ("agent", "Of"), ("caller", "It is for my son.")
    )
    assert heard_by_model(history) == [("user", "I need an appointment. It is for my son.")]


def test_the_conversation_s_own_history_keeps_what_was_heard() -> None:
    history = said(("caller", "I need help."), ("agent", "Of"), ("caller", "With my bill."))
    without_false_starts(history, PACE)
    assert [message.text_content for message in history.messages()] == [
        "I need help.",
        "Of",
        "With my bill.",
    ]


def test_a_caller_who_goes_on_twice_said_one_thing() -> None:
    history = said(
        ("caller", "I need help."),
        ("agent", "Of"),
        ("caller", "With my bill."),
        ("agent", "Sure"),
        ("caller", "From May."),
    )
    assert heard_by_model(history) == [("user", "I need help. With my bill. From May.")]


def test_turns_that_nothing_has_answered_are_one_message() -> None:
    history = said(("caller", "I need help."), ("caller", "With my bill."))
    assert heard_by_model(history) == [("user", "I need help. With my bill.")]


def test_an_interrupted_answer_of_which_the_caller_heard_enough_stays() -> None:
    turns = (
        ("caller", "When are you open?"),
        ("agent", "We are open from Monday to"),
        ("caller", "And how much is it?"),
    )
    assert len(heard_by_model(said(*turns))) == 3


def test_a_short_answer_that_was_heard_to_its_end_stays() -> None:
    turns = (("caller", "Is it free?"), ("agent", "Yes."), ("caller", "Then I take it."))
    assert len(heard_by_model(said(*turns, interrupted=False))) == 3


def test_a_false_start_after_which_a_tool_was_used_stays() -> None:
    history = said(("caller", "I need help."), ("agent", "Of"))
    history.insert(llm.FunctionCall(call_id="1", name="order", arguments="{}"))
    history.add_message(role="user", content="Two, please.")
    assert [item.type for item in without_false_starts(history, PACE).items] == [
        "message",
        "message",
        "function_call",
        "message",
    ]


def test_the_first_words_of_an_agent_that_nobody_has_asked_stay() -> None:
    history = said(("agent", "Hello"), ("caller", "I need help."))
    assert len(heard_by_model(history)) == 2
