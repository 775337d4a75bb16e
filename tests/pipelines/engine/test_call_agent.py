from __future__ import annotations

from livekit.agents import LanguageCode, stt

from pipelines.texts.utterance import MOST_CHARACTERS
from tests.pipelines.engine.agents import call_agent


async def test_no_more_is_heard_at_once_than_is_said_at_once() -> None:
    agent = call_agent()
    endless = stt.SpeechData(language=LanguageCode("en"), text="yes " * 10_000)
    heard = agent._heard(
        stt.SpeechEvent(type=stt.SpeechEventType.FINAL_TRANSCRIPT, alternatives=[endless])
    )
    assert heard is not None
    assert len(heard.alternatives[0].text) == MOST_CHARACTERS
