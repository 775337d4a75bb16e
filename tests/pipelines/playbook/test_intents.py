"""Words that callers also use for something else."""

from __future__ import annotations

import pytest

from pipelines.playbook.intents import Intent, intents
from pipelines.playbook.state import State
from pipelines.playbook.values.phrase import phrase
from tests.pipelines.playbook.agents import policy, restaurant

_ENDS = {Intent.GOODBYE, Intent.DO_NOT_CALL}


@pytest.mark.parametrize(
    "said",
    [
        "Can I see you tomorrow?",
        "I'd like to come and see you on Tuesday.",
        "I'd love to see you on Monday.",
        "I see you are open on Sunday.",
        "Please don't hang up.",
        "Why do you hang up on me?",
        "I want to cancel this call plan.",
        "Please don't end the call.",
        "Don't call me before ten.",
        "Please do not call on Friday.",
    ],
)
def test_nobody_who_wants_something_is_hung_up_on(said: str) -> None:
    assert not intents(phrase(said)) & _ENDS


@pytest.mark.parametrize(
    "said",
    [
        "See you.",
        "We'll see you then.",
        "Great, see you on Tuesday.",
        "I'll hang up now.",
        "Hang up, please.",
        "I want to end this call.",
        "Stop the call now.",
        "Stop calling me.",
        "Don't call me.",
        "Never call me again!",
    ],
)
def test_who_ends_the_call_is_understood(said: str) -> None:
    assert intents(phrase(said)) & _ENDS


@pytest.mark.parametrize(
    "said",
    [
        "I need a repeat prescription.",
        "I'd like to repeat my order",
        "It's about my repeat prescription.",
        "I didn't get that letter you sent.",
        "I don't understand that charge on my bill.",
        "It's for someone else.",
        "Can I bring someone else?",
    ],
)
def test_what_somebody_calls_about_is_no_request_about_the_call(said: str) -> None:
    assert not intents(phrase(said)) & {Intent.REPEAT, Intent.HUMAN}


@pytest.mark.parametrize(
    ("said", "intent"),
    [
        ("Could you repeat that, please?", Intent.REPEAT),
        ("Please repeat.", Intent.REPEAT),
        ("Sorry, I didn't catch that.", Intent.REPEAT),
        ("I can't hear you very well.", Intent.REPEAT),
        ("I don't understand what you mean.", Intent.REPEAT),
        ("I didn't get that, can you say it again?", Intent.REPEAT),
        ("Someone else, please.", Intent.HUMAN),
        ("Can someone else help me?", Intent.HUMAN),
        ("Is there someone else that I can talk to?", Intent.HUMAN),
    ],
)
def test_requests_about_the_call_are_understood(said: str, intent: Intent) -> None:
    assert intent in intents(phrase(said))


@pytest.mark.parametrize("said", ["Please don't hang up.", "Don't call me before ten."])
def test_who_asks_to_be_waited_for_is_asked_on(said: str) -> None:
    _, reply = policy(restaurant()).step(State(), said)
    assert not reply.end_call
