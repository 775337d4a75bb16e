from __future__ import annotations

from contracts.agent_config import AgentConfig
from contracts.call_plan import ProviderChoice, ResolvedStack
from pipelines.stack import (
    AvailableKeys,
    ModelEntry,
    StackCatalogue,
    StackChoice,
    StackProblem,
    VoiceEntry,
    resolve_stack,
)

CATALOGUE = StackCatalogue(
    models=(
        ModelEntry("local", "moonshine-tiny-en", frozenset({"stt"}), ("en",), rank=50),
        ModelEntry("deepgram", "nova-3", frozenset({"stt"}), ("*",), rank=10),
        ModelEntry("local", "playbook", frozenset({"llm"}), ("*",), rank=50),
        ModelEntry("openai", "gpt-4o-mini", frozenset({"llm"}), ("*",), rank=10),
        ModelEntry("openai", "gpt-4o", frozenset({"llm"}), ("*",), rank=20),
        ModelEntry("local", "hibari-en", frozenset({"tts"}), ("en",), rank=50),
        ModelEntry("local", "espeak", frozenset({"tts"}), ("*",), rank=60),
    ),
    voices=(
        VoiceEntry("hibari", "local", ("hibari-en",), ("en",)),
        VoiceEntry("robot", "local", ("espeak",)),
    ),
)
OFFLINE = frozenset({"local"})
ALL_KEYS = frozenset({"local", "openai", "deepgram"})


def resolved(
    agent: AgentConfig, available: frozenset[str] = ALL_KEYS, locale: str = "en-US"
) -> ResolvedStack:
    found = resolve_stack(agent, CATALOGUE, AvailableKeys(available), locale)
    assert isinstance(found, StackChoice), found
    return found.stack


def problem(
    agent: AgentConfig, available: frozenset[str] = ALL_KEYS, locale: str = "en-US"
) -> StackProblem:
    found = resolve_stack(agent, CATALOGUE, AvailableKeys(available), locale)
    assert isinstance(found, StackProblem), found
    return found


class TestAnOpenChoice:
    def test_without_keys_everything_is_local(self) -> None:
        stack = resolved(AgentConfig(name="a"), OFFLINE)
        assert stack.stt.primary == ProviderChoice(provider="local", model="moonshine-tiny-en")
        assert stack.llm.primary == ProviderChoice(provider="local", model="playbook")
        assert stack.tts.primary == ProviderChoice(
            provider="local", model="hibari-en", voice="hibari"
        )

    def test_takes_the_best_ranked_available_model(self) -> None:
        stack = resolved(AgentConfig(name="a"))
        assert stack.llm.primary.model == "gpt-4o-mini"
        assert stack.stt.primary.model == "nova-3"

    def test_takes_a_model_that_speaks_the_locale(self) -> None:
        stack = resolved(AgentConfig(name="a"), locale="hi-IN")
        assert stack.tts.primary == ProviderChoice(provider="local", model="espeak", voice="robot")

    def test_is_a_problem_when_nobody_available_speaks_the_locale(self) -> None:
        assert problem(AgentConfig(name="a"), OFFLINE, "hi-IN") == StackProblem(
            "stt", "No speech-to-text model that is available here covers hi-IN."
        )


class TestAnExplicitChoice:
    def test_of_a_provider_takes_its_best_model(self) -> None:
        stack = resolved(AgentConfig(name="a", llm_provider="openai"))
        assert stack.llm.primary.model == "gpt-4o-mini"

    def test_of_a_model_is_kept_against_the_rank(self) -> None:
        stack = resolved(AgentConfig(name="a", llm_provider="openai", llm_model="gpt-4o"))
        assert stack.llm.primary.model == "gpt-4o"

    def test_without_a_key_is_refused_and_not_replaced(self) -> None:
        found = problem(AgentConfig(name="a", llm_provider="openai"), OFFLINE)
        assert found == StackProblem("llm", "The language provider openai has no key here.")

    def test_that_does_not_speak_the_locale_is_refused(self) -> None:
        found = problem(AgentConfig(name="a", stt_provider="local"), locale="de-DE")
        assert found == StackProblem("stt", "The speech-to-text model local does not cover de-DE.")

    def test_unknown_to_the_catalogue_is_refused(self) -> None:
        found = problem(AgentConfig(name="a", tts_provider="acme", tts_model="loud"))
        assert found == StackProblem("tts", "The catalogue has no text-to-speech model acme/loud.")


class TestTheVoice:
    def test_of_the_agent_decides_the_model_when_that_is_open(self) -> None:
        stack = resolved(AgentConfig(name="a", voice="robot"))
        assert stack.tts.primary.model == "espeak"

    def test_of_the_persona_is_honoured_too(self) -> None:
        agent = AgentConfig.model_validate(
            {"name": "a", "persona": {"voiceConfig": {"voiceId": "robot"}}}
        )
        assert resolved(agent).tts.primary.voice == "robot"

    def test_unknown_here_becomes_the_model_s_own(self) -> None:
        stack = resolved(AgentConfig(name="a", voice="Aoede", tts_model="hibari-en"))
        assert stack.tts.primary.voice == "hibari"


class TestTheFallback:
    def test_is_none_unless_the_agent_names_one(self) -> None:
        assert resolved(AgentConfig(name="a")).llm.fallback is None

    def test_is_resolved_like_a_choice(self) -> None:
        stack = resolved(AgentConfig(name="a", llm_fallback_provider="local"))
        assert stack.llm.fallback == ProviderChoice(provider="local", model="playbook")

    def test_that_cannot_serve_is_left_out(self) -> None:
        agent = AgentConfig(name="a", stt_provider="deepgram", stt_fallback_provider="local")
        assert resolved(agent, locale="fr-FR").stt.fallback is None

    def test_equal_to_the_primary_is_left_out(self) -> None:
        agent = AgentConfig(name="a", llm_fallback_provider="local")
        assert resolved(agent, OFFLINE).llm.fallback is None
