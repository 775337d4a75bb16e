"""What holds for every agent, every set of keys and every locale."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice
from pipelines.stack import (
    CHANNELS,
    CUSTOM,
    LOCAL,
    AvailableKeys,
    StackCatalogue,
    StackChoice,
    resolve_stack,
)
from pipelines.texts.language import covers
from tests.pipelines.stack.catalogue import CATALOGUE, PIPELINE_ONLY

PROVIDERS = sorted({model.provider for model in CATALOGUE.models})
MODELS = sorted({model.model for model in CATALOGUE.models})
VOICES = sorted({voice.voice_id for voice in CATALOGUE.voices})
LOCALES = ("en-US", "en-GB", "de-DE", "hi-IN", "es-MX", "tlh")

providers = st.none() | st.sampled_from([*PROVIDERS, "acme"])
models = st.none() | st.sampled_from([*MODELS, "loud"])
keys_of_tenants = st.builds(
    AvailableKeys,
    platform=st.frozensets(st.sampled_from(PROVIDERS)),
    own=st.frozensets(st.sampled_from([name for name in PROVIDERS if name != LOCAL])),
    tier=st.sampled_from(["free", "enterprise"]),
)
catalogues = st.sampled_from([CATALOGUE, PIPELINE_ONLY])
urls = st.none() | st.just("https://own.example.com")


@st.composite
def agents(draw: st.DrawFn) -> AgentConfig:
    fields: dict[str, object] = {"name": "a", "voice": draw(st.sampled_from([*VOICES, "nobody"]))}
    for channel in CHANNELS:
        for role in ("", "_fallback"):
            fields[f"{channel}{role}_provider"] = draw(providers)
            fields[f"{channel}{role}_model"] = draw(models)
    for field in ("custom_llm_url", "custom_voice_url", "custom_transcriber_url"):
        fields[field] = draw(urls)
    if draw(st.booleans()):
        sku = draw(st.sampled_from(["clear", "offline", "gone", "nowhere"]))
        fields |= {"agent_kind": "managed", "managed_sku_id": sku}
    return AgentConfig.model_validate(fields)


open_agents = st.builds(AgentConfig, name=st.just("a"), voice=st.sampled_from(VOICES))
any_agent = st.one_of(agents(), open_agents)
locales = st.sampled_from(LOCALES)


@given(any_agent, catalogues, keys_of_tenants, locales)
def test_resolution_is_total_and_deterministic(
    agent: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys, locale: str
) -> None:
    backwards = replace(catalogue, models=catalogue.models[::-1], voices=catalogue.voices[::-1])
    found = resolve_stack(agent, catalogue, keys, locale)
    assert found == resolve_stack(agent, catalogue, keys, locale)
    assert found == resolve_stack(agent, backwards, keys, locale)


@given(any_agent, catalogues, keys_of_tenants, locales)
def test_a_stack_names_only_what_can_be_used(
    agent: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys, locale: str
) -> None:
    found = resolve_stack(agent, catalogue, keys, locale)
    if not isinstance(found, StackChoice):
        return
    for channel in CHANNELS:
        resolved = getattr(found.stack, channel)
        for choice in (resolved.primary, resolved.fallback):
            if choice is not None and choice.provider != CUSTOM:
                _check_usable(choice, channel, found.stack.mode, catalogue, keys, locale)
        assert resolved.fallback != resolved.primary


def _check_usable(
    choice: ProviderChoice,
    channel: str,
    mode: str,
    catalogue: StackCatalogue,
    keys: AvailableKeys,
    locale: str,
) -> None:
    [entry] = [m for m in catalogue.models if m.name == (choice.provider, choice.model)]
    assert channel in entry.channels
    assert entry.is_realtime == (mode == "realtime")
    assert covers(entry.languages, locale)
    assert keys.reaches(entry.required_tier)
    if entry.is_realtime:
        assert catalogue.can_run_realtime(choice.provider)
    else:
        assert channel in entry.channels
        assert catalogue.can_run(choice.provider, channel)  # type: ignore[arg-type]
    owners = {"own": keys.own, "platform": keys.platform}
    assert choice.provider in owners[choice.key_source]
    if choice.voice is not None:
        assert channel == "tts"
        assert any(
            voice.voice_id == choice.voice
            and voice.provider == choice.provider
            and choice.model in voice.models
            and covers(voice.languages, locale)
            for voice in catalogue.voices
        )


@given(any_agent, catalogues, keys_of_tenants, locales, st.sampled_from(PROVIDERS), st.booleans())
def test_another_key_never_turns_a_stack_into_a_problem(
    agent: AgentConfig,
    catalogue: StackCatalogue,
    keys: AvailableKeys,
    locale: str,
    provider: str,
    is_own: bool,
) -> None:
    if not isinstance(resolve_stack(agent, catalogue, keys, locale), StackChoice):
        return
    field = "own" if is_own and provider != LOCAL else "platform"
    more = replace(keys, **{field: getattr(keys, field) | {provider}})
    assert isinstance(resolve_stack(agent, catalogue, more, locale), StackChoice)
    enterprise = replace(keys, tier="enterprise")
    assert isinstance(resolve_stack(agent, catalogue, enterprise, locale), StackChoice)


@given(any_agent, catalogues, keys_of_tenants, locales)
def test_nothing_of_the_platforms_stands_by_for_a_channel_that_costs_nothing(
    agent: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys, locale: str
) -> None:
    found = resolve_stack(agent, catalogue, keys, locale)
    if not isinstance(found, StackChoice):
        return
    for channel in CHANNELS:
        resolved = getattr(found.stack, channel)
        if resolved.primary.key_source == "own" and resolved.fallback is not None:
            assert resolved.fallback.key_source == "own" or resolved.fallback.provider == LOCAL
