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


def test_explicit_speech_models_serve_the_pipeline_behind_it() -> None:
    wished = agent(
        llm_model="gpt-realtime", voice="marin", stt_provider="deepgram", tts_model="espeak"
    )
    found = choice(wished, EVERY_KEY)
    assert found.warnings == (
        "openai/gpt-realtime listens and speaks itself: stt_provider, tts_model serve only "
        "sentences that you have written, and calls in which it fails.",
        "local/espeak does not speak en-US with the voice marin: robot is used instead.",
    )
    behind = found.stack.without_realtime
    assert (behind.mode, behind.stt.primary.provider) == ("pipeline", "deepgram")
    assert behind.tts.primary.model == "espeak"


def test_naming_it_on_every_channel_leaves_those_of_the_pipeline_open() -> None:
    name = "gpt-realtime"
    wished = agent(llm_model=name, stt_model=name, tts_model=name, voice="marin")
    behind = resolved(wished, EVERY_KEY).without_realtime
    assert behind == resolved(agent(voice="marin"), EVERY_KEY)


def test_the_fallback_for_llm_is_the_language_model_of_the_pipeline() -> None:
    wished = agent(llm_model="gpt-realtime", voice="marin", llm_fallback_model="claude")
    stack = resolved(wished, EVERY_KEY)
    assert stack.llm.fallback is None
    assert stack.without_realtime.llm.primary.model == "claude"


def test_another_realtime_model_cannot_stand_by() -> None:
    wished = agent(llm_model="gpt-realtime", voice="marin", llm_fallback_model="gemini-live")
    found = choice(wished, EVERY_KEY)
    assert found.stack.without_realtime.llm.primary.model == "gpt-4o-mini"
    assert found.warnings[0] == (
        "The fallback gemini-live is not used: choose a language model that is available here and "
        "not realtime."
    )


def test_a_language_without_a_pipeline_is_refused() -> None:
    keys = AvailableKeys(frozenset({"local", "openai"}))
    found = problem(agent(llm_model="gpt-realtime", voice="marin"), keys, "de-DE")
    assert found.channel == "stt"
    assert found.reason.endswith("It takes over when openai/gpt-realtime fails.")


def test_its_provider_needs_a_key() -> None:
    found = problem(agent(llm_model="gpt-realtime"), AvailableKeys(frozenset({"local"})))
    assert (found.channel, found.field) == ("llm", "llm_model")


def test_a_custom_endpoint_for_the_llm_comes_first() -> None:
    keys = AvailableKeys(EVERY_KEY.platform, tier="enterprise")
    wished = agent(llm_model="gpt-realtime", custom_llm_url="https://llm.example.com")
    assert resolved(wished, keys).mode == "pipeline"
