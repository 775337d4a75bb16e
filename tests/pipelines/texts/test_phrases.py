from __future__ import annotations

import pytest

from contracts.agent_config import AgentConfig
from contracts.end_reasons import EndReason
from pipelines.texts.phrases import (
    farewell,
    has_phrases,
    nudge,
    recording_announcement,
    say_again,
)
from tests.pipelines.plans import call_plan

LOCALES = ("en-US", "de-DE", "es-MX", "fr-FR", "hi-IN", "it-IT", "nl-NL", "pl-PL", "pt-BR")


def test_nudge_is_in_the_call_s_language() -> None:
    assert nudge(call_plan(locale="de-DE")) == "Sind Sie noch da?"


def test_an_unknown_language_falls_back_to_english() -> None:
    assert nudge(call_plan(locale="sw-KE")) == "Are you still there?"


@pytest.mark.parametrize("locale", LOCALES)
def test_a_recording_is_announced_in_the_call_s_language(locale: str) -> None:
    announced = recording_announcement(call_plan(locale=locale))
    assert has_phrases(locale)
    assert (announced == "This call is being recorded.") is (locale == "en-US")


def test_farewell_of_an_ordinary_end_is_the_agent_s_own() -> None:
    agent = AgentConfig.model_validate(
        {"name": "a", "playbook": {"endCallMessage": "Bye {{ name }}!"}}
    )
    plan = call_plan(agent, variables={"name": "Ann"})
    assert farewell(plan, EndReason.END_CALL_TOOL) == "Bye Ann!"


@pytest.mark.parametrize("reason", list(EndReason))
def test_every_end_reason_has_a_sentence(reason: EndReason) -> None:
    assert farewell(call_plan(), reason).endswith((".", "!"))


def test_the_causes_that_a_caller_must_understand_sound_different() -> None:
    reasons = (
        EndReason.MAX_CALL_DURATION,
        EndReason.SILENCE_TIMEOUT,
        EndReason.INSUFFICIENT_FUNDS,
        EndReason.END_CALL_TOOL,
    )
    assert len({farewell(call_plan(), reason) for reason in reasons}) == len(reasons)


@pytest.mark.parametrize("locale", LOCALES)
def test_a_caller_is_asked_again_in_the_call_s_language(locale: str) -> None:
    english = "I am sorry, could you please say that again?"
    assert (say_again(call_plan(locale=locale)) == english) is (locale == "en-US")


@pytest.mark.parametrize(
    "reason",
    [
        EndReason.NO_PROVIDER_CONNECTED,
        EndReason.SESSION_INIT_FAILED,
        EndReason.SESSION_START_FAILED,
        EndReason.SESSION_ERROR,
    ],
)
def test_a_call_that_fails_ends_with_an_apology_and_not_with_the_agent_s_goodbye(
    reason: EndReason,
) -> None:
    agent = AgentConfig.model_validate({"name": "a", "playbook": {"endCallMessage": "Hooray!"}})
    assert farewell(call_plan(agent), reason).startswith("I am sorry")
