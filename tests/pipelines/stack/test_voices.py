from __future__ import annotations

import pytest

from contracts.agent_config import AgentConfig
from pipelines.stack import AvailableKeys
from tests.pipelines.stack.catalogue import EVERY_KEY, OFFLINE, PLATFORM, agent, choice, resolved


def test_the_agents_voice_decides_the_model_when_that_is_open() -> None:
    assert resolved(agent(voice="robot")).tts.primary.model == "espeak"


def test_the_personas_voice_wins() -> None:
    persona = {"voiceConfig": {"voiceId": "robot"}}
    assert resolved(agent(persona=persona)).tts.primary.voice == "robot"


def test_the_agents_voice_stands_in_for_a_personas_that_is_not_there() -> None:
    persona = {"voiceConfig": {"voiceId": "nobody"}}
    found = choice(agent(persona=persona), OFFLINE)
    assert found.stack.tts.primary.voice == "hibari"
    assert found.warnings == (
        "local/hibari-en does not speak en-US with the voice nobody: hibari is used instead.",
    )


def test_the_default_voice_is_replaced_with_a_warning_where_it_cannot_be_had() -> None:
    found = choice(AgentConfig(name="a"), OFFLINE)
    assert found.stack.tts.primary.voice == "hibari"
    assert found.warnings == (
        "local/hibari-en does not speak en-US with the voice Aoede: hibari is used instead.",
    )


def test_the_default_voice_is_used_where_it_can_be_had() -> None:
    found = choice(AgentConfig(name="a"), EVERY_KEY)
    assert (found.stack.tts.primary.provider, found.stack.tts.primary.voice) == ("google", "Aoede")
    assert found.warnings == ()


def test_a_chosen_model_is_kept_and_the_voice_replaced() -> None:
    found = choice(agent(voice="Puck", tts_provider="deepgram"), EVERY_KEY)
    assert found.stack.tts.primary.model == "aura-2"
    assert found.stack.tts.primary.voice == "draco"
    assert len(found.warnings) == 1


@pytest.mark.parametrize(
    ("voice", "locale", "expected"),
    [
        ("nobody", "en-US", "thalia"),
        ("nobody", "en-GB", "draco"),
        ("nobody", "en-AU", "thalia"),
        ("Aoede", "en-GB", "pandora"),
        ("Aoede", "es-MX", "celeste"),
    ],
)
def test_a_substitute_shares_the_gender_and_then_the_accent(
    voice: str, locale: str, expected: str
) -> None:
    found = resolved(agent(voice=voice, tts_provider="deepgram"), locale=locale)
    assert found.tts.primary.voice == expected


def test_a_voice_that_does_not_speak_the_locale_is_replaced() -> None:
    found = choice(agent(voice="thalia", tts_provider="deepgram"), locale="es-ES")
    assert found.stack.tts.primary.voice == "celeste"
    assert "does not speak es-ES with the voice thalia" in found.warnings[0]


def test_the_spare_speaks_with_a_voice_like_the_primarys() -> None:
    keys = AvailableKeys(PLATFORM.platform | {"google"})
    found = resolved(agent(voice="draco", tts_fallback_provider="google"), keys)
    assert found.tts.primary.voice == "draco"
    assert found.tts.fallback is not None
    assert (found.tts.fallback.provider, found.tts.fallback.voice) == ("google", "Puck")
