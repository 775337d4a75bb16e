from __future__ import annotations

from pipelines.stack import AvailableKeys
from tests.pipelines.stack.catalogue import EVERY_KEY, agent, choice, problem, resolved


def test_one_model_serves_all_three_channels() -> None:
    stack = resolved(agent(llm_model="gpt-realtime", voice="marin"), EVERY_KEY)
    assert stack.mode == "realtime"
    for channel in (stack.stt, stack.llm, stack.tts):
        assert (channel.primary.provider, channel.primary.model) == ("openai", "gpt-realtime")
    assert stack.tts.primary.voice == "marin"
    assert stack.stt.primary.voice is None
    assert stack.llm.primary.voice is None


def test_its_voice_is_one_of_its_own() -> None:
    found = choice(agent(llm_model="gpt-realtime", voice="Aoede"), EVERY_KEY)
    assert found.stack.tts.primary.voice == "marin"
    assert "the voice Aoede" in found.warnings[0]


def test_explicit_speech_models_get_a_warning() -> None:
    wished = agent(
        llm_model="gpt-realtime", voice="marin", stt_provider="deepgram", tts_model="espeak"
    )
    assert choice(wished, EVERY_KEY).warnings == (
        "openai/gpt-realtime listens and speaks itself: stt_provider, tts_model have no effect.",
    )


def test_naming_it_on_every_channel_gets_none() -> None:
    name = "gpt-realtime"
    wished = agent(llm_model=name, stt_model=name, tts_model=name, voice="marin")
    assert choice(wished, EVERY_KEY).warnings == ()


def test_only_another_realtime_model_stands_by() -> None:
    wished = agent(llm_model="gpt-realtime", voice="marin", llm_fallback_provider="google")
    stack = resolved(wished, EVERY_KEY)
    for channel in (stack.stt, stack.llm, stack.tts):
        assert channel.fallback is not None
        assert channel.fallback.model == "gemini-live"
    assert stack.tts.fallback is not None
    assert stack.tts.fallback.voice == "Aoede"
    german = resolved(wished, EVERY_KEY, "de-DE")
    assert german.llm.fallback is None


def test_its_provider_needs_a_key() -> None:
    found = problem(agent(llm_model="gpt-realtime"), AvailableKeys(frozenset({"local"})))
    assert (found.channel, found.field) == ("llm", "llm_model")


def test_a_custom_endpoint_for_the_llm_comes_first() -> None:
    keys = AvailableKeys(EVERY_KEY.platform, tier="enterprise")
    wished = agent(llm_model="gpt-realtime", custom_llm_url="https://llm.example.com")
    assert resolved(wished, keys).mode == "pipeline"
