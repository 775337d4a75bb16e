"""From any prompt the builder makes an agent that is valid and compiles."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.agent_config import AgentConfig
from control_plane.building.agent_builder.clean_text import clean_text, placeholders_in
from control_plane.building.agent_builder.config_fields import as_body
from control_plane.building.agent_builder.local.composition import compose
from control_plane.building.agent_builder.local.editing import edit
from pipelines.texts.prompt import compile_prompt
from tests.control_plane.building.agent_builder.local.offline_call import hold_call

_WORDS = (
    "ask for the name and phone number book appointments restaurant Bella Napoli if caller says "
    "expensive tell them that we are open Monday to Friday $40 transfer human called Mia Hotel "
    '"hello there?" whether they have " ( ) , . : ; - \n \n- {{ x }} {% if %} never talk about '
    "remind survey claim Dr. rename it to change greeting speak Spanish Q: A: what time is it ? "
    "https://example.com e.g. (optional) such as 24/7 8am remove question don't ask also add"
).split()
_prompts = st.one_of(
    st.text(max_size=400),
    st.lists(st.sampled_from([*_WORDS, "\n", "\n- "]), max_size=60).map(" ".join),
)


@settings(max_examples=400, deadline=None)
@given(_prompts)
def test_any_prompt_gives_an_agent_that_is_valid_compiles_and_talks(prompt: str) -> None:
    told = clean_text(prompt, longest=20_000, variables=placeholders_in([prompt]), keep_links=True)
    agent = AgentConfig.model_validate(as_body(compose(told).config))
    assert compile_prompt(agent, {})
    assert hold_call(agent).greeting


@settings(max_examples=200, deadline=None)
@given(_prompts, _prompts)
def test_any_instruction_leaves_an_agent_valid(prompt: str, instruction: str) -> None:
    before = compose(prompt).config
    after = edit(instruction, before).config
    assert compile_prompt(AgentConfig.model_validate(as_body(after)), {})


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="{}%#x <>|[]/INST\n", max_size=80))
def test_no_template_and_no_tag_is_left_in_clean_text(text: str) -> None:
    cleaned = clean_text(text)
    assert not any(mark in cleaned for mark in ("{{", "}}", "{%", "%}", "{#", "#}", "<|", "[INST]"))
    assert clean_text(cleaned) == cleaned


@pytest.mark.parametrize(
    "long",
    [
        "ask for " + "name and " * 2_200,
        "open " * 4_000,
        '"' * 20_000,
        "if they say " * 1_600,
        "(" * 20_000,
        "Aa " * 6_600,
        "a" * 20_000,
        "- \n" * 6_600,
        "remind about " * 1_500,
        "{{" * 10_000,
        "<" * 20_000,
        "hours: " * 2_800,
        "We are Bella at Bella for Bella of " * 570,
        "x. " * 6_600,
        "in German, French and " * 900,
    ],
    ids=lambda text: text[:12],
)
def test_a_long_prompt_is_read_in_bounded_time(long: str) -> None:
    started = time.perf_counter()
    told = clean_text(long, longest=20_000, variables=placeholders_in([long]))
    compose(told)
    edit(told, AgentConfig(name="Agent"))
    assert time.perf_counter() - started < 8
