from __future__ import annotations

import pytest

from contracts.call_plan import ProviderChoice
from pipelines.stack import AvailableKeys, StackCatalogue
from tests.pipelines.stack.catalogue import (
    CATALOGUE,
    EVERY_KEY,
    OFFLINE,
    PIPELINE_ONLY,
    PLATFORM,
    agent,
    choice,
    problem,
    resolved,
)


class TestAnOpenChoice:
    def test_without_keys_everything_is_local(self) -> None:
        stack = resolved(agent(), OFFLINE)
        assert stack.mode == "pipeline"
        assert stack.stt.primary == ProviderChoice(provider="local", model="moonshine-tiny-en")
        assert stack.llm.primary == ProviderChoice(provider="local", model="playbook")
        assert stack.tts.primary == ProviderChoice(
            provider="local", model="hibari-en", voice="hibari"
        )

    def test_takes_the_best_ranked_available_model(self) -> None:
        stack = resolved(agent())
        assert stack.llm.primary.model == "gpt-4o-mini"
        assert stack.stt.primary.model == "nova-3"

    def test_takes_a_model_that_speaks_the_locale(self) -> None:
        stack = resolved(agent(), locale="hi-IN")
        assert stack.tts.primary == ProviderChoice(provider="local", model="espeak", voice="robot")

    def test_never_takes_a_realtime_model(self) -> None:
        only_realtime = StackCatalogue(tuple(m for m in CATALOGUE.models if m.is_realtime))
        assert problem(agent(), EVERY_KEY, catalogue=only_realtime).channel == "stt"

    def test_skips_what_no_worker_can_run(self) -> None:
        keys = AvailableKeys(frozenset({"local", "google"}))
        assert resolved(agent(), keys).stt.primary.model == "chirp"
        assert resolved(agent(), keys, catalogue=PIPELINE_ONLY).stt.primary.provider == "local"

    def test_skips_what_the_tier_does_not_reach(self) -> None:
        locked = StackCatalogue(
            tuple(m for m in CATALOGUE.models if m.model not in ("gpt-4o", "gpt-4o-mini"))
        )
        assert resolved(agent(), catalogue=locked).llm.primary.model == "playbook"
        enterprise = AvailableKeys(PLATFORM.platform - {"local"}, tier="enterprise")
        found = resolved(agent(stt_provider="deepgram"), enterprise, catalogue=locked)
        assert found.llm.primary.model == "gpt-6-astra"


@pytest.mark.parametrize(
    ("fields", "keys", "locale", "channel", "field", "reason"),
    [
        (
            {},
            OFFLINE,
            "hi-IN",
            "stt",
            "stt_provider",
            "No speech-to-text model that is available here covers hi-IN: set a provider key for "
            "deepgram.",
        ),
        (
            {"llm_provider": "openai"},
            OFFLINE,
            "en-US",
            "llm",
            "llm_provider",
            "The language provider openai has no key here: set a provider key for openai or choose "
            "another provider.",
        ),
        (
            {"stt_provider": "local"},
            PLATFORM,
            "de-DE",
            "stt",
            "stt_provider",
            "The speech-to-text model local/moonshine-tiny-en does not cover de-DE: choose another "
            "model or leave that language out.",
        ),
        (
            {"tts_provider": "acme", "tts_model": "loud"},
            PLATFORM,
            "en-US",
            "tts",
            "tts_model",
            "The catalogue has no text-to-speech model acme/loud: choose one that "
            "GET /v1/agents/llm-options lists.",
        ),
        (
            {"llm_model": "gpt-6-astra"},
            PLATFORM,
            "en-US",
            "llm",
            "llm_model",
            "openai/gpt-6-astra needs the tier enterprise: upgrade or choose another model.",
        ),
        (
            {"llm_model": "claude-own"},
            EVERY_KEY,
            "en-US",
            "llm",
            "llm_model",
            "anthropic/claude-own can only be used with a key of your own: set a provider key for "
            "anthropic or choose another model.",
        ),
        (
            {"stt_provider": "google"},
            EVERY_KEY,
            "en-US",
            "stt",
            "stt_provider",
            "The media workers of this installation cannot run google for speech-to-text: choose "
            "another provider.",
        ),
        (
            {"stt_model": "gpt-realtime"},
            EVERY_KEY,
            "en-US",
            "stt",
            "stt_model",
            "gpt-realtime is a realtime model, which listens, thinks and speaks as one: name it as "
            "llm_model.",
        ),
        (
            {"llm_model": "gpt-realtime"},
            EVERY_KEY,
            "en-US",
            "llm",
            "llm_model",
            "openai/gpt-realtime is a realtime model, and the media workers of this installation "
            "cannot run those: choose a language model that is not realtime.",
        ),
        (
            {"stt_provider": "local"},
            AvailableKeys(frozenset({"openai", "deepgram"})),
            "en-US",
            "stt",
            "stt_provider",
            "The offline models (provider local) are switched off on this installation: choose "
            "another provider.",
        ),
    ],
)
def test_a_refusal_names_the_field_and_says_what_to_do(
    fields: dict[str, object],
    keys: AvailableKeys,
    locale: str,
    channel: str,
    field: str,
    reason: str,
) -> None:
    found = problem(agent(**fields), keys, locale, PIPELINE_ONLY)
    assert (found.channel, found.field, found.reason) == (channel, field, reason)


def test_an_open_choice_in_a_language_of_nobody_blames_the_catalogue() -> None:
    english = StackCatalogue(tuple(m for m in CATALOGUE.models if m.languages == ("en",)))
    found = problem(agent(), EVERY_KEY, "de-DE", english)
    assert found.reason == "The catalogue has no speech-to-text model that covers de-DE."


class TestAnExplicitChoice:
    def test_of_a_provider_takes_its_best_model(self) -> None:
        assert resolved(agent(llm_provider="openai")).llm.primary.model == "gpt-4o-mini"

    def test_of_a_model_is_kept_against_the_rank(self) -> None:
        stack = resolved(agent(llm_provider="openai", llm_model="gpt-4o"))
        assert stack.llm.primary.model == "gpt-4o"

    def test_empty_text_is_no_choice(self) -> None:
        assert resolved(agent(llm_provider="", llm_model="")).llm.primary.model == "gpt-4o-mini"


class TestWhoseKeyPays:
    def test_the_tenants_own_wins(self) -> None:
        keys = AvailableKeys(frozenset({"local", "openai"}), own=frozenset({"openai"}))
        assert resolved(agent(), keys).llm.primary.key_source == "own"
        assert resolved(agent(), keys).tts.primary.key_source == "platform"

    def test_an_own_key_is_enough(self) -> None:
        keys = AvailableKeys(frozenset({"local"}), own=frozenset({"anthropic"}))
        assert resolved(agent(llm_model="claude-own"), keys).llm.primary == ProviderChoice(
            provider="anthropic", model="claude-own", key_source="own"
        )


class TestACustomEndpoint:
    URL = "https://models.example.com"
    ENTERPRISE = AvailableKeys(PLATFORM.platform, tier="enterprise")

    @pytest.mark.parametrize(
        ("field", "channel"),
        [
            ("custom_llm_url", "llm"),
            ("custom_voice_url", "tts"),
            ("custom_transcriber_url", "stt"),
        ],
    )
    def test_serves_its_channel_at_the_tenants_own_cost(self, field: str, channel: str) -> None:
        stack = resolved(agent(**{field: self.URL}), self.ENTERPRISE)
        primary = getattr(stack, channel).primary
        assert (primary.provider, primary.key_source) == ("custom", "own")
        assert primary.voice == ("hibari" if channel == "tts" else None)

    def test_is_asked_for_the_model_that_the_agent_names(self) -> None:
        custom = agent(custom_llm_url=self.URL, llm_model="ours-7b")
        assert resolved(custom, self.ENTERPRISE).llm.primary.model == "ours-7b"

    def test_belongs_to_the_enterprise_tier(self) -> None:
        found = problem(agent(custom_llm_url=self.URL))
        assert (found.channel, found.field) == ("llm", "custom_llm_url")
        assert found.reason == (
            "custom_llm_url needs the tier enterprise: upgrade or set custom_llm_url to null."
        )

    def test_is_a_problem_while_no_worker_can_use_one(self) -> None:
        custom = agent(custom_voice_url=self.URL)
        found = problem(custom, self.ENTERPRISE, catalogue=PIPELINE_ONLY)
        assert found.reason == (
            "The media workers of this installation cannot use a custom_voice_url: set it to null "
            "and choose a model."
        )


class TestAManagedAgent:
    def test_runs_on_what_its_sku_says(self) -> None:
        found = choice(agent(agent_kind="managed", managed_sku_id="clear"))
        stack = found.stack
        assert stack.stt.primary.model == "nova-3"
        assert stack.llm.primary.model == "gpt-4o"
        assert (stack.tts.primary.model, stack.tts.primary.voice) == ("aura-2", "draco")
        assert found.warnings == ()

    def test_has_spares_too(self) -> None:
        stack = resolved(agent(agent_kind="managed", managed_sku_id="clear"))
        assert stack.llm.fallback is not None
        assert stack.llm.fallback.model == "playbook"

    def test_is_told_that_its_own_choices_do_not_count(self) -> None:
        managed = agent(
            agent_kind="managed",
            managed_sku_id="clear",
            llm_provider="openai",
            llm_model="gpt-4o-mini",
            tts_fallback_provider="local",
        )
        assert choice(managed).warnings == (
            "The managed SKU clear decides the models: llm_model, tts_fallback_provider have "
            "no effect.",
        )

    def test_never_runs_on_the_tenants_own_keys(self) -> None:
        managed = agent(agent_kind="managed", managed_sku_id="clear")
        both = AvailableKeys(PLATFORM.platform, own=frozenset({"openai", "deepgram"}))
        assert resolved(managed, both) == resolved(managed)
        found = problem(managed, AvailableKeys(frozenset({"local"}), own=both.own))
        assert (found.channel, found.field) == ("stt", "managed_sku_id")
        assert "the platform's keys" in found.reason

    @pytest.mark.parametrize(
        ("sku_id", "locale", "field", "said"),
        [
            ("nowhere", "en-US", "managed_sku_id", "nowhere is not in the catalogue"),
            ("gone", "en-US", "managed_sku_id", "gone is no longer offered"),
            ("clear", "de-DE", "supported_languages", "only en-US, en-GB"),
        ],
    )
    def test_is_a_problem_where_its_sku_cannot_serve(
        self, sku_id: str, locale: str, field: str, said: str
    ) -> None:
        found = problem(agent(agent_kind="managed", managed_sku_id=sku_id), EVERY_KEY, locale)
        assert (found.channel, found.field) == (None, field)
        assert said in found.reason
