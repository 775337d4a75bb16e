"""A tenant's voice on a websocket: its connections, and what its owner is told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from livekit.agents import APIConnectionError, APIConnectOptions, APIError, APIStatusError
from livekit.agents.types import USERDATA_TIMED_TRANSCRIPT, TimedString

from pipelines.engine.providers.custom.endpoint import Endpoint
from pipelines.engine.providers.custom.streaming_voice import StreamingVoice
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.channels.tts.voices import settled
from tests.stand_ins.custom_voice import CustomVoice
from tests.stand_ins.own_tls import OwnTls
from tests.stand_ins.voice_faults import Misbehaviour, VoiceFault

ONCE = APIConnectOptions(max_retry=0, timeout=2.0)


@asynccontextmanager
async def voice_of(
    server: CustomVoice, tls: OwnTls, actions: NotedActions | None = None
) -> AsyncIterator[StreamingVoice]:
    actions = actions or NotedActions()
    endpoint = Endpoint(server.url + "?key=s3cret", "custom_voice_url", "t", tls.network, actions)
    voice = StreamingVoice(
        endpoint, model="ours", voice="nova", language="en-US", connect_seconds=1.0
    )
    yield voice
    await voice.aclose()


async def said(voice: StreamingVoice, text: str) -> list[TimedString]:
    """The words whose times came."""
    told: list[TimedString] = []
    async with voice.synthesize(text, conn_options=ONCE) as stream:
        async for audio in stream:
            told += audio.frame.userdata.get(USERDATA_TIMED_TRANSCRIPT, [])
    return told


async def test_sentences_share_a_connection_and_bring_their_words_times(tls: OwnTls) -> None:
    async with CustomVoice(tls.server).serving() as server:
        async with voice_of(server, tls) as voice:
            told = await said(voice, "Good morning.")
            await said(voice, "Good evening.")
        await settled(lambda: server.open_sockets == 0)
    assert [str(word) for word in told] == ["Good", "morning."]
    assert told[0].start_time == 0.0
    assert 0 < told[0].end_time == told[1].start_time < told[1].end_time
    assert server.spoken == ["Good morning.", "Good evening."]
    assert server.paths == ["/speak?key=s3cret"]
    [start] = server.starts
    assert start == {
        "type": "start",
        "sample_rate": 24_000,
        "voice": "nova",
        "language": "en-US",
        "model": "ours",
    }


async def test_two_sentences_at_once_have_connections_of_their_own(tls: OwnTls) -> None:
    async with CustomVoice(tls.server).serving() as server, voice_of(server, tls) as voice:
        await asyncio.gather(said(voice, "Good morning."), said(voice, "Good evening."))
        assert server.open_sockets == 2


async def test_a_connection_is_made_before_the_first_sentence(tls: OwnTls) -> None:
    async with CustomVoice(tls.server).serving() as server, voice_of(server, tls) as voice:
        voice.prewarm()
        await settled(lambda: len(server.starts) == 1)
        await said(voice, "Good morning.")
        assert len(server.starts) == 1


async def test_an_interrupted_sentence_closes_its_connection_and_another_is_made(
    tls: OwnTls,
) -> None:
    async with CustomVoice(tls.server).serving() as server, voice_of(server, tls) as voice:
        stream = voice.synthesize("One two three four five six.", conn_options=ONCE)
        await anext(aiter(stream))
        await stream.aclose()
        await settled(lambda: (server.open_sockets, len(server.starts)) == (1, 2))
        await said(voice, "Good evening.")
        assert len(server.starts) == 2


async def test_a_connection_that_was_closed_while_idle_is_not_used(tls: OwnTls) -> None:
    async with CustomVoice(tls.server).serving() as server, voice_of(server, tls) as voice:
        await said(voice, "Good morning.")
        await voice._idle[0].close()
        await said(voice, "Good evening.")
        assert len(server.starts) == 2


async def test_a_broken_message_is_told_in_the_call_s_log(tls: OwnTls) -> None:
    actions = NotedActions()
    server = CustomVoice(tls.server, Misbehaviour(VoiceFault.JSON))
    async with server.serving(), voice_of(server, tls, actions) as voice:
        with pytest.raises(APIError):
            await said(voice, "Good morning.")
    assert actions.lines == [
        ("warning", "custom_voice_url does not keep to the format: a text message is no JSON.")
    ]


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (VoiceFault.UNAUTHORIZED, APIStatusError),
        (VoiceFault.REFUSED, APIConnectionError),
        (VoiceFault.DISCONNECT_MID, APIConnectionError),
    ],
)
async def test_a_server_that_fails_raises_the_engine_s_errors(
    tls: OwnTls, fault: VoiceFault, error: type[APIError]
) -> None:
    server = CustomVoice(tls.server, Misbehaviour(fault, after_seconds=0.2))
    async with server.serving(), voice_of(server, tls) as voice:
        with pytest.raises(error) as failed:
            await said(voice, "Good morning.")
        assert "s3cret" not in repr(failed.value)
