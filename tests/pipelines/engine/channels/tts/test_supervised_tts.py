"""A caller hears an answer, whatever a voice's provider does. Real plugins, on their wire."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import httpx2
import numpy as np
import pytest
from livekit.agents import APIConnectionError
from livekit.agents.utils import http_context

from pipelines.engine.channels.circuit_breaker import LONGEST_PAUSE_SECONDS
from pipelines.engine.providers.spec import ProviderUnavailable
from pipelines.engine.shared_models import WarmModels
from tests.faults.cells import MOST_WAIT_MS, HowLong, note
from tests.pipelines.conversations import words
from tests.pipelines.engine.channels.tts.said_twice import (
    MOST_OF_A_WORD,
    MOST_WORDS_OFF,
    part_said_twice,
    part_said_twice_by_itself,
    words_said_twice,
)
from tests.pipelines.engine.channels.tts.voices import Connections, reply, settled, supervised
from tests.pipelines.engine.providers.vendor import vendor
from tests.stand_ins.elevenlabs_voice import ElevenLabsVoice
from tests.stand_ins.hearing import transcript
from tests.stand_ins.openai_voice import OpenAIVoice
from tests.stand_ins.voice_faults import Misbehaviour, Pace, VoiceFault, speech, words_apart

TEXT = (
    "The doctor sees patients every Monday, Tuesday and Friday morning. "
    "Please come early and bring something to read."
)
"""The recogniser understands every word of it, in one breath and word by word."""
MOST_SILENCE_SECONDS = MOST_WAIT_MS / 1000
IN_THE_MIDDLE = (VoiceFault.HANG_MID, VoiceFault.DISCONNECT_MID, VoiceFault.SLOW)
TELLS_TIMES = ("elevenlabs",)
"""Of its words. Where another one broke off is guessed by hearing."""
STAND_INS: dict[str, Any] = {"openai": OpenAIVoice, "elevenlabs": ElevenLabsVoice}
CELLS = [
    pytest.param(provider, fault, id=f"{provider}-{fault.value}")
    for provider in STAND_INS
    for fault in VoiceFault
]


@pytest.fixture
async def connections() -> AsyncIterator[Connections]:
    async with contextlib.AsyncExitStack() as stack:
        await stack.enter_async_context(http_context.open())
        yield Connections(
            await stack.enter_async_context(aiohttp.ClientSession()),
            await stack.enter_async_context(httpx2.AsyncClient()),
        )


def stand_in(provider: str, fault: VoiceFault | None, left: int | None, after: float = 2.4) -> Any:
    # It runs in the call's loop, which must not stand still while it makes its voice.
    speech(TEXT)
    words_apart(TEXT)
    options = {"is_fluent": fault is None} if provider == "openai" else {}
    pace = Pace(first_byte_seconds=0.1, speed=2.0) if fault is VoiceFault.SLOW else Pace()
    return STAND_INS[provider](Misbehaviour(fault, left, after), pace, **options)


@pytest.mark.latency
@pytest.mark.parametrize("left", [1, None], ids=["once", "for ever"])
@pytest.mark.parametrize(("provider", "fault"), CELLS)
async def test_an_answer_is_heard_whatever_the_voice_s_provider_does(
    warm_models: WarmModels,
    connections: Connections,
    record_property: Callable[[str, object], None],
    provider: str,
    fault: VoiceFault,
    left: int | None,
) -> None:
    build = getattr(connections, provider)
    async with stand_in(provider, fault, left).serving() as server:
        call = supervised(warm_models, [(provider, lambda: build(server.base_url))])
        first = await reply(call.voice, TEXT)
        if provider == "elevenlabs":
            how_long: HowLong = "for ever" if left is None else "once"
            note(record_property, "tts", fault.value, how_long, first.longest_silence_seconds)
        assert first.longest_silence_seconds < MOST_SILENCE_SECONDS
        if provider in TELLS_TIMES or fault not in IN_THE_MIDDLE:
            assert await part_said_twice(warm_models, TEXT, first.sound) < MOST_OF_A_WORD
        else:
            assert abs(await words_said_twice(warm_models, TEXT, first.sound)) <= MOST_WORDS_OFF
        [switch] = call.reports.switches
        assert (switch.failed, switch.taken_over_by) == (f"{provider}/voice", "local/hibari-en")
        assert switch.lost_ms < 1_000 * MOST_SILENCE_SECONDS

        second = await reply(call.voice, "You can reach us by telephone.")
        assert second.longest_silence_seconds < 1.0
        assert len(call.reports.switches) == 1, "it is not asked while it rests"

        if left is not None and fault is VoiceFault.REFUSED:
            await server.open()
        call.clock.now += LONGEST_PAUSE_SECONDS
        third = await reply(call.voice, "You can reach us by telephone.")
        assert third.longest_silence_seconds < MOST_SILENCE_SECONDS
        last = words(await transcript(warm_models, third.sound))[-1]
        # It breaks off in the last word, which is the one that may be missing.
        is_guessed = provider not in TELLS_TIMES and fault in IN_THE_MIDDLE and left is None
        assert last in (("telephone", "by") if is_guessed else ("telephone",))
        is_back = left is not None
        # A sentence shorter than the fault in its middle ends before it.
        is_unharmed = is_back or fault in (VoiceFault.HANG_MID, VoiceFault.DISCONNECT_MID)
        if not is_unharmed and fault is not VoiceFault.SLOW:
            assert len(call.reports.switches) == 2
        elif is_back:
            assert len(call.reports.switches) == 1
        assert call.reports.exhaustions == []
        await call.voice.aclose()


@pytest.mark.latency
@pytest.mark.parametrize("after", [1.9, 2.6, 3.4, 4.6, 5.9])
@pytest.mark.parametrize("fault", [VoiceFault.HANG_MID, VoiceFault.DISCONNECT_MID])
async def test_the_next_voice_goes_on_with_the_word_that_broke_off(
    warm_models: WarmModels, connections: Connections, fault: VoiceFault, after: float
) -> None:
    async with stand_in("elevenlabs", fault, None, after).serving() as server:
        call = supervised(
            warm_models, [("elevenlabs", lambda: connections.elevenlabs(server.base_url))]
        )
        heard = await reply(call.voice, TEXT)
        assert await part_said_twice(warm_models, TEXT, heard.sound) < MOST_OF_A_WORD
        assert heard.longest_silence_seconds < MOST_SILENCE_SECONDS
        await call.voice.aclose()


@pytest.mark.latency
@pytest.mark.parametrize("after", [1.3, 1.9, 2.6, 3.4, 4.1])
@pytest.mark.parametrize("fault", [VoiceFault.HANG_MID, VoiceFault.DISCONNECT_MID])
async def test_a_voice_without_times_loses_or_doubles_one_word_at_most(
    warm_models: WarmModels, connections: Connections, fault: VoiceFault, after: float
) -> None:
    async with stand_in("openai", fault, None, after).serving() as server:
        call = supervised(warm_models, [("openai", lambda: connections.openai(server.base_url))])
        heard = await reply(call.voice, TEXT)
        assert abs(await words_said_twice(warm_models, TEXT, heard.sound)) <= MOST_WORDS_OFF
        assert heard.longest_silence_seconds < MOST_SILENCE_SECONDS
        await call.voice.aclose()


@pytest.mark.parametrize("provider", list(STAND_INS))
async def test_a_healthy_voice_speaks_alone_and_is_billed_under_the_plan_s_names(
    warm_models: WarmModels, connections: Connections, provider: str
) -> None:
    build = getattr(connections, provider)
    async with stand_in(provider, None, None).serving() as server:
        call = supervised(warm_models, [(provider, lambda: build(server.base_url))])
        call.voice.prewarm()
        heard = await reply(call.voice, TEXT)
        assert words(await transcript(warm_models, heard.sound)) == words(TEXT)
        assert call.reports.switches == []
        names = {(m.metadata.model_provider, m.metadata.model_name) for m in call.metrics}
        assert names == {(provider, "voice")}
        characters = sum(m.characters_count for m in call.metrics)
        assert abs(characters - len(TEXT)) <= 2
        await call.voice.aclose()


@pytest.mark.parametrize("provider", list(STAND_INS))
async def test_an_interruption_is_not_a_fault_and_frees_the_connection(
    warm_models: WarmModels, connections: Connections, provider: str
) -> None:
    build = getattr(connections, provider)
    async with stand_in(provider, VoiceFault.HANG_MID, None).serving() as server:
        call = supervised(warm_models, [(provider, lambda: build(server.base_url))])
        async with call.voice.stream() as stream:
            stream.push_text(TEXT)
            stream.end_input()
            await anext(aiter(stream))
        assert call.reports.switches == []
        if provider == "openai":
            await settled(lambda: server.open_requests == 0)
        await call.voice.aclose()
        assert not {"closing-stream", "supervised-tts-text"} & {
            task.get_name() for task in asyncio.all_tasks()
        }
        first, *_ = call.voice.voices.candidates.attempts()
        assert first.choice.provider == provider, "its breaker has not opened"


@pytest.mark.parametrize("text", ["", "  \n", "… – "])
@pytest.mark.parametrize("provider", list(STAND_INS))
async def test_text_without_words_asks_no_voice(
    warm_models: WarmModels, connections: Connections, provider: str, text: str
) -> None:
    build = getattr(connections, provider)
    async with stand_in(provider, None, None).serving() as server:
        call = supervised(warm_models, [(provider, lambda: build(server.base_url))])
        heard = await reply(call.voice, text)
        assert not np.any(heard.sound)
        assert call.reports.switches == []
        if provider == "openai":
            assert server.requests == []
        await call.voice.aclose()


async def test_a_model_that_slowly_writes_is_no_fault_of_the_voice(
    warm_models: WarmModels, connections: Connections
) -> None:
    async with stand_in("elevenlabs", None, None).serving() as server:
        call = supervised(
            warm_models, [("elevenlabs", lambda: connections.elevenlabs(server.base_url))]
        )
        async with call.voice.stream() as stream:
            stream.push_text("You can reach us by")
            await asyncio.sleep(1.7)
            stream.push_text(" telephone. Or come")
            await asyncio.sleep(1.7 + 3.0)
            stream.push_text(" to the front desk.")
            stream.end_input()
            sound = [np.frombuffer(audio.frame.data, np.int16) async for audio in stream]
        heard = await transcript(warm_models, np.concatenate(sound))
        assert words(heard) == words("You can reach us by telephone. Or come to the front desk.")
        assert call.reports.switches == []
        await call.voice.aclose()


@pytest.mark.latency
async def test_two_voices_that_hang_take_no_longer_than_one(
    warm_models: WarmModels, connections: Connections
) -> None:
    async with vendor("hangs") as server:
        call = supervised(
            warm_models,
            [
                ("deepgram", lambda: connections.deepgram(f"{server.base_url}/deepgram/speak")),
                ("cartesia", lambda: connections.cartesia(f"{server.base_url}/cartesia")),
            ],
        )
        heard = await reply(call.voice, TEXT)
        assert heard.longest_silence_seconds < MOST_SILENCE_SECONDS
        assert words(await transcript(warm_models, heard.sound)) == words(TEXT)
        assert len(call.reports.switches) == 2
        first, *_ = call.voice.voices.candidates.attempts()
        assert first.choice.provider == "cartesia", "it had too little time to be called broken"
        await call.voice.aclose()


async def test_when_every_voice_has_failed_the_call_is_told_once(
    warm_models: WarmModels, connections: Connections
) -> None:
    async with stand_in("openai", VoiceFault.BROKEN, None).serving() as server:
        vendors = [("openai", lambda: connections.openai(server.base_url))]
        call = supervised(warm_models, vendors, has_local=False)
        for _ in range(2):
            with pytest.raises(APIConnectionError):
                await reply(call.voice, TEXT)
        assert [channel for channel, _ in call.reports.exhaustions] == ["tts"]
        assert "500" in call.reports.exhaustions[0][1]
        assert call.reports.switches[-1].taken_over_by == "recorded words"
        apology = await call.voice.synthesize("I am sorry.").collect()
        assert apology.data.tobytes()[:2_000] == call.voice.recorded_words().data.tobytes()[:2_000]
        await call.voice.aclose()


async def test_an_apology_that_no_voice_can_speak_was_recorded_before(
    warm_models: WarmModels, connections: Connections
) -> None:
    async with stand_in("openai", VoiceFault.UNAUTHORIZED, None).serving() as server:
        vendors = [("openai", lambda: connections.openai(server.base_url))]
        call = supervised(warm_models, vendors, has_local=False)
        apology = await call.voice.synthesize("I am sorry.").collect()
        assert apology.samples_per_channel >= call.voice.recorded_words().samples_per_channel
        assert len(call.reports.exhaustions) == 1
        await call.voice.aclose()


async def test_the_only_voice_is_asked_again_after_it_broke_off(
    warm_models: WarmModels, connections: Connections
) -> None:
    async with stand_in("elevenlabs", VoiceFault.DISCONNECT_MID, 1).serving() as server:
        vendors = [("elevenlabs", lambda: connections.elevenlabs(server.base_url))]
        call = supervised(warm_models, vendors, has_local=False)
        heard = await reply(call.voice, TEXT)
        assert part_said_twice_by_itself(TEXT, heard.sound) < MOST_OF_A_WORD
        assert call.reports.exhaustions == []
        await call.voice.aclose()


@pytest.mark.parametrize("fault", [VoiceFault.HANG_FIRST, VoiceFault.HANG_MID])
async def test_a_voice_that_hung_is_asked_over_a_new_connection(
    warm_models: WarmModels, connections: Connections, fault: VoiceFault
) -> None:
    async with stand_in("elevenlabs", fault, 1).serving() as server:
        vendors = [("elevenlabs", lambda: connections.elevenlabs(server.base_url))]
        call = supervised(warm_models, vendors)
        await reply(call.voice, TEXT)
        assert len(call.reports.switches) == 1
        call.clock.now += LONGEST_PAUSE_SECONDS
        heard = await reply(call.voice, TEXT)
        assert words(await transcript(warm_models, heard.sound)) == words(TEXT)
        assert len(call.reports.switches) == 1, "the provider itself is well"
        await settled(lambda: server.open_sockets == 1)
        characters = sum(m.characters_count for m in call.metrics)
        assert characters >= 2 * len(TEXT) - 2, "both connections report what they are charged for"
        await call.voice.aclose()


async def test_a_voice_that_this_process_cannot_run_is_left_out(warm_models: WarmModels) -> None:
    def build() -> Any:
        raise ProviderUnavailable("no key")

    call = supervised(warm_models, [("openai", build)])
    call.voice.prewarm()
    heard = await reply(call.voice, TEXT)
    assert words(await transcript(warm_models, heard.sound)) == words(TEXT)
    assert call.reports.switches[0].why == "cannot run here"
    await call.voice.aclose()
