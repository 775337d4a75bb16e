"""A caller who pauses between two sentences, over WebRTC to real processes."""

from __future__ import annotations

import asyncio

import numpy as np
import pytest

from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine
from switchboard.caller.prepared_speech import PreparedSpeech
from switchboard.caller.reports import Report
from switchboard.caller.speech_models import Recogniser, Voice
from switchboard.caller.speech_queue import PreparedLine
from switchboard.demo.evidence import collect
from switchboard_client.webrtc.frame import SAMPLE_RATE_HZ
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.running_call import segments_said_by

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

FIRST, THEN = "I would like to book an appointment.", "It is for my son."
BOTH = f"{FIRST} {THEN}"
NEXT = "No, this is my first time."
PAUSE_SECONDS = 0.6


def prepared() -> PreparedSpeech:
    voice = Voice()
    pause = np.zeros(round(PAUSE_SECONDS * SAMPLE_RATE_HZ), np.int16)
    both = np.concatenate([voice.speak(FIRST).audio, pause, voice.speak(THEN).audio])
    lines = {BOTH: PreparedLine.of(BOTH, both), NEXT: voice.speak(NEXT)}
    return PreparedSpeech(Recogniser(), lines)


async def test_both_sentences_are_on_the_record_once_and_have_one_answer(
    switchboard: LiveSwitchboard,
) -> None:
    speech = await asyncio.to_thread(prepared)
    reports: list[Report] = []
    async with switchboard.api() as api:
        before = await api.billing.balance()
        summary = await call_agent(
            api,
            switchboard.account.agent_id,
            LineByLine((BOTH, NEXT)),
            speech,
            reports.append,
            asyncio.Event(),
        )
        evidence = await collect(api, summary, before)
    said = " ".join(segments_said_by(evidence.transcript, "user")).lower()
    for words in ("appointment", "my son", "first time"):
        assert said.count(words) == 1, f"{words!r} in {said!r}"
    answers = [turn.heard.lower() for turn in summary.turns]
    assert "been to our clinic" in answers[0]
    assert "name" in answers[1], "the playbook goes on with its next question"
