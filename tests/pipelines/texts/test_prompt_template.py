"""A compiled prompt keeps its variables open, and needs nothing but itself to be filled in."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.agent_config import AgentConfig
from pipelines.texts.agent_texts import TextFiller, texts_of
from pipelines.texts.prompt import compile_prompt, prompt_template, texts_beside_prompt
from pipelines.texts.prompt_template import PromptTemplate

AGENT: dict[str, Any] = {
    "name": "Front desk",
    "system_prompt": "{{ a }} said so.",
    "persona": {
        "name": "{{ a }}",
        "role": "{{ b }}",
        "companyName": "{{ c }}",
        "companyDescription": "{{ d }}",
        "companyWebsite": "{{ e }}",
        "toneOverride": "{{ f }}",
        "audienceDescription": "{{ g }}",
        "knowledgeBase": ["{{ h }}"],
        "successCriteria": ["{{ i }}"],
        "callerPersonas": [{"type": "{{ j }}", "approach": "{{ k }}"}],
    },
    "playbook": {
        "opener": "{{ l }}",
        "qualificationFlow": [{"question": "{{ m }}", "listensFor": "{{ n }}"}],
        "requiredSlots": [{"name": "{{ o }}", "description": "{{ p }}"}],
        "objectionHandlers": [{"trigger": "{{ q }}", "response": "{{ r }}"}],
        "scripts": [{"title": "{{ s }}", "when": "{{ t }}", "content": "{{ u }}"}],
        "closingCTA": "{{ v }}",
        "fallbackCTA": "{{ w }}",
        "escalationRule": "{{ x }}",
        "endCallMessage": "{{ y }}",
    },
    "advanced": {"offLimitsTopics": "{{ z }}", "prohibitedClaims": "{{ a }}"},
    "tools": [{"type": "end_call", "description": "Ends the call of {{ a }}."}],
}
VARIABLES = {name: f"value of {name}" for name in "abcdefghijklmnopqrstuvwxyz"}


@pytest.mark.parametrize("variables", [{}, {"a": "Ada"}, VARIABLES])
def test_a_template_read_back_from_json_makes_the_same_prompt(variables: dict[str, str]) -> None:
    agent = AgentConfig.model_validate(AGENT)
    read = PromptTemplate.model_validate(prompt_template(agent).document)
    assert read.filled(TextFiller(variables)) == compile_prompt(agent, variables)


def test_every_text_with_a_placeholder_is_open_and_known_by_its_path() -> None:
    agent = AgentConfig.model_validate(AGENT)
    template = prompt_template(agent)
    open_texts = {text.field: text.text for text in template.open_texts}
    beside = dict(texts_beside_prompt(agent, template))
    assert open_texts | beside == {field: text for field, text in texts_of(agent) if "{" in text}
    assert beside == {"tools[0].description": "Ends the call of {{ a }}."}


def test_a_prompt_without_placeholders_has_no_open_texts() -> None:
    assert prompt_template(AgentConfig(name="Front desk")).open_texts == ()


def test_what_variables_leave_empty_takes_its_surroundings_with_it() -> None:
    prompt = compile_prompt(AgentConfig.model_validate(AGENT), {})
    assert prompt.startswith("You are Front desk. You speak en-US.\n\n# How to speak\n")
    assert "Website" not in prompt
    assert "# Tone" not in prompt
    assert "listen for" not in prompt
