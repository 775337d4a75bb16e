"""Rules that hold in every dialogue, whatever the subject."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.agent_config import AgentConfig
from pipelines.playbook.policy import Policy
from pipelines.playbook.state import State
from tests.pipelines.playbook.agents import dental_caller, dental_clinic, policy, restaurant

_AGENTS = {
    "dental clinic": policy(dental_clinic()),
    "restaurant": policy(restaurant(), owner="Ada"),
    "empty": policy(AgentConfig(name="Bare")),
    "german": policy(dental_clinic().model_copy(update={"language": "de-DE"})),
}
_policies = st.sampled_from(list(_AGENTS.values()))
_WORDS = (
    "yes no not tuesday next the of november twenty fourth three half past pm at my name is anna "
    "smith four five people dollars actually wait sorry repeat human who are you how much does it "
    "cost hurt goodbye thanks hello time day change wrong dot com gmail double oh i dont know | "
    "hundred thousand a and first to in weeks o'clock morning birthday"
).split()
_utterances = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(_WORDS), max_size=14).map(" ".join),
)


def _talk(policy: Policy, said: list[str]) -> list[tuple[State, str, bool]]:
    state = policy.heard(State(), policy.plan.opener, is_interrupted=False)
    steps = []
    for utterance in said:
        state, reply = policy.step(state, utterance)
        steps.append((state, reply.text, reply.end_call))
    return steps


@settings(max_examples=300, deadline=None)
@given(_policies, st.lists(_utterances, max_size=12))
def test_whatever_is_said_gets_words_in_reply(policy: Policy, said: list[str]) -> None:
    for _, text, _ in _talk(policy, said):
        assert text.strip()
        assert "{" not in text


@settings(max_examples=150, deadline=None)
@given(_policies, st.lists(_utterances, max_size=12))
def test_every_reply_asks_or_waits_or_ends_the_call(policy: Policy, said: list[str]) -> None:
    for state, text, ends in _talk(policy, said):
        asks = "?" in text or state.pending is not None
        assert ends or asks
        assert ends <= state.is_ended


@pytest.mark.parametrize("name", ["dental clinic", "restaurant"])
def test_nonsense_is_never_answered_twice_alike_and_ends_the_call(name: str) -> None:
    steps = _talk(_AGENTS[name], ["hello", *["rhubarb and more rhubarb in it"] * 40])
    texts = [text for _, text, _ in steps]
    first_end = next(i for i, (_, _, ends) in enumerate(steps) if ends)
    assert all(a != b for a, b in pairwise(texts[: first_end + 1]))


def test_what_opens_as_a_question_of_the_flow_is_not_asked_twice() -> None:
    agent = dental_clinic()
    opener = "Hello, this is Mia. Have you been to our clinic before?"
    changed = agent.playbook.model_copy(update={"opener": opener})
    asked = policy(agent.model_copy(update={"playbook": changed}))
    assert "name" in _talk(asked, ["no, never"])[0][1]


def test_an_agent_that_waits_for_the_caller_opens_with_its_opener() -> None:
    clinic = _AGENTS["dental clinic"]
    _, reply = clinic.step(State(), "hello")
    assert reply.text == clinic.plan.opener
    _, reply = clinic.step(State(), "I'd like to come on Tuesday")
    assert reply.text.startswith(clinic.plan.opener)
    assert reply.slots == {"day": "2026-11-24"}


def test_a_yes_to_the_platforms_own_question_confirms_nothing() -> None:
    clinic = _AGENTS["dental clinic"]
    state = _talk(clinic, ["this is Ann Lee, Monday at nine", "yes"])[-1][0]
    state = clinic.heard(state, state.last_reply, is_interrupted=False)
    nudged = clinic.heard(state, "Are you still there?", is_interrupted=False)
    _, reply = clinic.step(nudged, "yes")
    assert "Ann Lee" in reply.text
    _, reply = clinic.step(state, "yes")
    assert "noted" in reply.text


def test_a_language_without_recognisers_is_asked_the_owners_own_texts() -> None:
    german = _AGENTS["german"]
    steps = _talk(german, ["Guten Tag", "Nein", "Anna Schmidt", "Dienstag", "um drei"])
    assert [text for _, text, _ in steps[:2]] == [
        "Have you been to our clinic before?",
        "The caller's first and last name",
    ]
    assert steps[-1][2]
    assert steps[-1][0].values["name"].value == "Anna Schmidt"


def test_variables_are_filled_into_what_is_said() -> None:
    assert _AGENTS["restaurant"].plan.opener == "Welcome to Chez Ada. What can I do for you?"


@pytest.mark.parametrize("interrupt", [False, True])
def test_the_demos_caller_books_an_appointment_by_its_rules(interrupt: bool) -> None:
    clinic = _AGENTS["dental clinic"]
    state = clinic.heard(State(), clinic.plan.opener, is_interrupted=False)
    heard, rules, turns = clinic.plan.opener, dental_caller(), 0
    while True:
        rule = next(r for r in rules if any(word in heard.lower() for word in r["when_heard"]))  # type: ignore[attr-defined]
        rules.remove(rule)
        if interrupt and rule.get("interrupt"):
            cut = " ".join(heard.split()[:6])
            state = clinic.heard(state, cut, is_interrupted=True)
        else:
            state = clinic.heard(state, heard, is_interrupted=False)
        state, reply = clinic.step(state, str(rule["say"]))
        heard, turns = reply.text, turns + 1
        if reply.end_call or rule.get("leave"):
            break
    assert turns >= 6
    assert reply.slots == {"name": "Emma Wilson", "day": "2026-11-24", "time": "15:30"}


@pytest.mark.parametrize(
    ("said", "slots"),
    [
        ("any day but Tuesday", {}),
        ("not on a Tuesday", {}),
        ("anything except Monday", {}),
        ("any day other than Monday or Tuesday", {}),
        ("I can't come on Tuesday", {}),
        ("Tuesday I can't", {}),
        ("I'm busy on Monday and Tuesday", {}),
        ("I'm busy Tuesday", {}),
        ("I'm busy. Tuesday", {"day": "2026-11-24"}),
        ("nothing but Tuesday", {"day": "2026-11-24"}),
        ("not Tuesday, Wednesday", {"day": "2026-11-25"}),
        ("not free on Monday but on Tuesday", {"day": "2026-11-24"}),
        ("Monday doesn't work and Tuesday does", {"day": "2026-11-24"}),
    ],
)
def test_a_day_that_is_ruled_out_is_not_noted(said: str, slots: dict[str, str]) -> None:
    clinic = _AGENTS["dental clinic"]
    state = _talk(clinic, ["hello", "no, never", "Anna Smith"])[-1][0]
    _, reply = clinic.step(state, said)
    assert reply.slots == {"name": "Anna Smith"} | slots


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("no, two six seven two", "+14155552672"),
        ("sorry, the last four digits are 2672", "+14155552672"),
        ("no, Tuesday at eight", "+14155552671"),
        ("sorry, 21 people", "+14155552671"),
    ],
)
def test_the_end_of_a_known_phone_number_is_corrected(said: str, number: str) -> None:
    table = _AGENTS["restaurant"]
    _, reply = table.step(_talk(table, ["hello", "415 555 2671"])[-1][0], said)
    assert reply.slots["phone_number"] == number


def test_stepping_leaves_the_state_as_it_was() -> None:
    clinic = _AGENTS["dental clinic"]
    state = _talk(clinic, ["hi"])[0][0]
    before = replace(state, values=dict(state.values))
    clinic.step(state, "Monday at nine")
    assert state == before
