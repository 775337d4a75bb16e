"""The language models of a tenant's own server, in the stacks of its agents."""

from __future__ import annotations

from dataclasses import replace

from pipelines.settings import OPENAI_COMPATIBLE
from pipelines.stack import ModelEntry, StackProblem, resolve_stack, still_runs
from tests.pipelines.stack.catalogue import CATALOGUE, LLM, PLATFORM, agent, resolved

OWN = replace(
    PLATFORM, own=frozenset({OPENAI_COMPATIBLE}), own_models=("llama3.2", "mistral-small")
)
OF_OPERATOR = ModelEntry(OPENAI_COMPATIBLE, "qwen3", LLM, rank=1)
WITH_SERVER = replace(CATALOGUE, models=(OF_OPERATOR, *CATALOGUE.models), capabilities=None)
EVERYBODY = replace(PLATFORM, platform=PLATFORM.platform | {OPENAI_COMPATIBLE})


def test_agents_that_name_no_model_get_the_first_one_of_the_server() -> None:
    choice = resolved(agent(), OWN, catalogue=WITH_SERVER).llm.primary
    assert (choice.provider, choice.model) == (OPENAI_COMPATIBLE, "llama3.2")
    assert choice.key_source == "own"


def test_another_one_can_be_named() -> None:
    named = agent(llm_model="mistral-small")
    assert resolved(named, OWN, catalogue=WITH_SERVER).llm.primary.model == "mistral-small"


def test_they_stand_in_place_of_the_operator_s_server() -> None:
    keys = replace(OWN, platform=EVERYBODY.platform)
    assert resolved(agent(llm_model="qwen3"), EVERYBODY, catalogue=WITH_SERVER).llm
    found = resolve_stack(agent(llm_model="qwen3"), WITH_SERVER, keys, "en-US")
    assert isinstance(found, StackProblem)
    assert "no language model qwen3" in found.reason.replace(" model model ", " model ")


def test_a_tenant_without_a_server_has_none_of_them() -> None:
    named = agent(llm_provider=OPENAI_COMPATIBLE, llm_model="llama3.2")
    assert isinstance(resolve_stack(named, WITH_SERVER, PLATFORM, "en-US"), StackProblem)


def test_a_frozen_stack_runs_as_long_as_the_server_has_its_model() -> None:
    frozen = resolved(agent(), OWN, catalogue=WITH_SERVER)
    assert still_runs(frozen, agent(), WITH_SERVER, OWN, "en-US")
    smaller = replace(OWN, own_models=("mistral-small",))
    assert not still_runs(frozen, agent(), WITH_SERVER, smaller, "en-US")
    assert not still_runs(frozen, agent(), WITH_SERVER, PLATFORM, "en-US")
