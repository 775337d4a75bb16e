"""The voice fails during a real conversation: what a caller hears, and what the history says."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from itertools import pairwise

import aiohttp
import numpy as np
import pytest

from contracts.call_plan import ProviderChoice, ResolvedChannel
from pipelines.engine.channels.circuit_breaker import CircuitBreakers
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from tests.pipelines.conversations import Call, conversation, words
from tests.pipelines.engine.channels.tts.said_twice import MOST_OF_A_WORD, part_said_twice
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins.elevenlabs_voice import ElevenLabsVoice
from tests.stand_ins.hearing import transcript
from tests.stand_ins.voice_faults import Misbehaviour, Pace, VoiceFault, words_apart

pytestmark = pytest.mark.latency

TEXT = (
    "The doctor sees patients every Monday, Tuesday and Friday morning. "
    "Please come early and bring something to read."
)
MOST_SILENCE_SECONDS = 2.5
VOICE = ProviderChoice(provider="elevenlabs", model="eleven_flash_v2_5", voice="rachel")


@asynccontextmanager
async def spoken_by(server: ElevenLabsVoice, models: WarmModels) -> AsyncIterator[Call]:
    stack = LOCAL_STACK.model_copy(update={"tts": ResolvedChannel(primary=VOICE)})
    settings = ProviderSettings(
        api_keys={"elevenlabs": "k"}, base_urls={"elevenlabs": server.base_url}
    )
    plan = call_plan(stack=stack)
    async with aiohttp.ClientSession() as http_session:
        warm = replace(
            models,
            settings=settings,
            http_session=http_session,
            breakers=CircuitBreakers(time.monotonic),
        )
        await warm.prepare(plan)
        async with conversation(plan, warm) as talk:
            yield talk


@pytest.mark.parametrize("fault", [None, *VoiceFault], ids=lambda fault: fault and fault.value)
async def test_every_word_is_heard_once(warm_models: WarmModels, fault: VoiceFault | None) -> None:
    # The server runs in the call's loop, which must not stand still while it makes its voice.
    words_apart(TEXT)
    pace = Pace(first_byte_seconds=0.1, speed=2.0) if fault is VoiceFault.SLOW else Pace()
    server = ElevenLabsVoice(Misbehaviour(fault, None, after_seconds=2.4), pace)
    async with server.serving(), spoken_by(server, warm_models) as talk:
        begun_at = time.monotonic()
        speech = await talk.conversation.say(TEXT)
        await speech.wait_for_playout()
        ear = talk.audio.ear
        gaps = [later - earlier for earlier, later in pairwise([begun_at, *ear.heard_at])]
        assert max(gaps) < MOST_SILENCE_SECONDS
        heard = np.concatenate(ear.played)
        if fault is None:
            assert words(await transcript(warm_models, heard)) == words(TEXT)
        else:
            assert await part_said_twice(warm_models, TEXT, heard) < MOST_OF_A_WORD
        assert talk.said_by("assistant") == [TEXT]
        switches = talk.actions.channel_reports.switches
        expected = [] if fault is None else [("elevenlabs/eleven_flash_v2_5", "local/hibari-en")]
        assert [(each.failed, each.taken_over_by) for each in switches] == expected
        assert talk.actions.channel_reports.exhaustions == []
