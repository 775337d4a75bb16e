"""What the offline agent reads, hears and admits, a family of cases for each fact."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contracts.agent_config import AgentConfig
from pipelines.playbook.coverage import coverage
from pipelines.playbook.policy import Policy
from pipelines.playbook.state import Reply, State
from tests.pipelines.playbook.agents import dental_clinic, policy
from tests.pipelines.playbook.dialogue_script import matches
from tests.pipelines.playbook.prompt_corpus import VARIABLES, Prompt, prompts
from tests.pipelines.playbook.test_prompts import spoken

_FOLDER = Path(__file__).parent / "families"
_LEAST = 11
"""The fact's own words, and ten more."""


def _families() -> dict[str, dict[str, Any]]:
    files = sorted(_FOLDER.glob("*.toml"))
    return {file.stem: tomllib.loads(file.read_text()) for file in files}


FAMILIES = _families()


def _cases() -> Iterator[Any]:
    for name, family in FAMILIES.items():
        shared = {"prompt": family.get("prompt")} | family.get("every", {})
        for number, case in enumerate(family["cases"], start=1):
            yield pytest.param(shared | case, id=f"{name}-{number}")


def test_each_family_has_its_fact_and_ten_more() -> None:
    assert len(FAMILIES) >= 15
    assert [name for name, each in FAMILIES.items() if len(each["cases"]) < _LEAST] == []


@pytest.mark.parametrize("case", list(_cases()))
def test_case(case: dict[str, Any]) -> None:
    agent = _agent(case)
    talking = policy(agent, **VARIABLES)
    if "slots_named" in case:
        named = [slot.name.removeprefix("full_") for slot in agent.playbook.required_slots]
        assert named == case["slots_named"]
    said = spoken(talking.plan).lower()
    assert [text for text in case.get("never", ()) if text.lower() in said] == []
    missed = " ".join(coverage(agent).not_followed)
    assert [text for text in case.get("unfollowed", ()) if text not in missed] == []
    if "say" in case:
        _converse(case, talking, missed)


def _converse(case: dict[str, Any], talking: Policy, missed: str) -> None:
    replies = list(_replies(talking, case["say"]))
    last = replies[-1]
    if "rule" in case:
        told = f"{last.text} {missed}".lower()
        assert case["rule"].lower() in told, told
    if "reply" in case:
        assert matches(last, case["reply"]), last.text
    assert [text for text in case.get("not", ()) if text in last.text] == [], last.text
    if "slots" in case:
        assert last.slots == case["slots"], last.text
    if "most_times" in case:
        questions = Counter(part for reply in replies for part in _questions(reply.text))
        assert max(questions.values(), default=0) <= case["most_times"], questions


def _replies(talking: Policy, lines: list[str]) -> Iterator[Reply]:
    state = talking.heard(State(), talking.plan.opener, is_interrupted=False)
    for line in lines:
        state, reply = talking.step(state, line)
        yield reply
        if reply.end_call:
            return
        state = talking.heard(state, reply.text, is_interrupted=False)


def _questions(text: str) -> list[str]:
    return [part.rpartition(". ")[2].strip() for part in text.split("?")[:-1]]


def _agent(case: dict[str, Any]) -> AgentConfig:
    text = case["prompt"]
    if text == "demo":
        return dental_clinic()
    if text in prompts():
        return prompts()[text].built
    if "form" in case:
        for heading in ("Identity", "Task", "Knowledge"):
            word = heading.upper() if case.get("capitals") else heading
            text = text.replace(f"§{heading}§", case["form"].format(word))
    return Prompt("", text.strip(), {}).built
