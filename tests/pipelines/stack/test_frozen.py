"""When a stack that was resolved earlier is still good, and when it has to be resolved again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from contracts.agent_config import AgentConfig
from pipelines.stack import AvailableKeys, StackCatalogue, StackChoice, resolve_stack, still_runs
from tests.pipelines.stack.catalogue import CATALOGUE, PIPELINE_ONLY, PLATFORM, agent, resolved
from tests.pipelines.stack.test_properties import any_agent, catalogues, keys_of_tenants, locales

FROZEN = resolved(agent())
"""deepgram hears, openai thinks, the offline voice ``hibari`` speaks; all with fallbacks."""
PRIMARY = FROZEN.llm.primary
ENTERPRISE = replace(PLATFORM, tier="enterprise")


@given(any_agent, catalogues, keys_of_tenants, locales)
def test_a_stack_runs_in_the_situation_that_it_was_resolved_in(
    agent: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys, locale: str
) -> None:
    found = resolve_stack(agent, catalogue, keys, locale)
    if isinstance(found, StackChoice):
        assert still_runs(found.stack, agent, catalogue, keys, locale)


def test_a_better_model_and_a_key_for_another_provider_change_nothing() -> None:
    better = replace(CATALOGUE.models[5], model="gpt-new", rank=1)
    catalogue = replace(CATALOGUE, models=(better, *CATALOGUE.models))
    keys = replace(PLATFORM, platform=PLATFORM.platform | {"anthropic"})
    assert resolved(agent(), keys, catalogue=catalogue) != FROZEN
    assert still_runs(FROZEN, agent(), catalogue, keys, "en-US")


@pytest.mark.parametrize(
    "keys",
    [
        replace(PLATFORM, platform=frozenset({"local", "deepgram"})),
        replace(PLATFORM, platform=frozenset({"local", "openai"})),
        replace(PLATFORM, own=frozenset({"openai"})),
    ],
    ids=["the primary's key is gone", "a fallback's key is gone", "the tenant pays now"],
)
def test_another_key_in_use_means_another_stack(keys: AvailableKeys) -> None:
    assert not still_runs(FROZEN, agent(), CATALOGUE, keys, "en-US")


def test_a_model_or_voice_that_left_the_catalogue_means_another_stack() -> None:
    models = tuple(m for m in CATALOGUE.models if m.name != (PRIMARY.provider, PRIMARY.model))
    without_model = replace(CATALOGUE, models=models)
    without_voices = replace(CATALOGUE, voices=())
    for catalogue in (without_model, without_voices):
        assert not still_runs(FROZEN, agent(), catalogue, PLATFORM, "en-US")


def test_a_stack_needs_workers_that_can_run_it() -> None:
    live = agent(llm_model="gpt-realtime")
    custom = agent(custom_llm_url="https://own.example.com")
    for config in (live, custom):
        stack = resolved(config, ENTERPRISE)
        assert still_runs(stack, config, CATALOGUE, ENTERPRISE, "en-US")
        assert not still_runs(stack, config, PIPELINE_ONLY, ENTERPRISE, "en-US")


def test_a_custom_endpoint_needs_the_enterprise_tier_when_the_call_is_created() -> None:
    config = agent(custom_llm_url="https://own.example.com")
    stack = resolved(config, ENTERPRISE)
    assert not still_runs(stack, config, CATALOGUE, PLATFORM, "en-US")


def test_a_managed_stack_ends_with_its_sku_and_ignores_own_keys() -> None:
    config = agent(agent_kind="managed", managed_sku_id="clear")
    stack = resolved(config)
    own = replace(PLATFORM, own=frozenset({"openai", "deepgram"}))
    assert still_runs(stack, config, CATALOGUE, own, "en-US")
    withdrawn = tuple(replace(sku, is_active=False) for sku in CATALOGUE.skus)
    assert not still_runs(stack, config, replace(CATALOGUE, skus=withdrawn), own, "en-US")
