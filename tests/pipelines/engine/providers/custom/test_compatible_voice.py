"""What a tenant's voice with OpenAI's format is sent, and what is taken for its sound."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from aiohttp import web
from livekit.agents import APIConnectOptions, APIError, APIStatusError

from pipelines.engine.providers.custom.compatible_voice import CompatibleVoice
from tests.pipelines.engine.actions import NotedActions
from tests.stand_ins.own_tls import OwnTls

ONCE = APIConnectOptions(max_retry=0, timeout=2.0)
SOUND = b"\x01\x00" * 2_400


@dataclass
class Speech:
    content_type: str = "audio/pcm"
    status: int = 200
    body: bytes = SOUND
    paths: list[str] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    url: str = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.paths.append(request.path_qs)
        self.bodies.append(await request.json())
        headers = {"Content-Type": self.content_type, "Location": "https://127.0.0.1:1/"}
        return web.Response(status=self.status, body=self.body, headers=headers)

    @asynccontextmanager
    async def serving(self, tls: ssl.SSLContext) -> AsyncIterator[Speech]:
        app = web.Application()
        app.router.add_post("/v1/audio/speech", self.answer)
        runner = web.AppRunner(app, shutdown_timeout=0.1)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=tls).start()
        self.url = f"https://127.0.0.1:{runner.addresses[0][1]}/v1"
        try:
            yield self
        finally:
            await runner.cleanup()


async def spoken(
    speech: Speech, tls: OwnTls, url_suffix: str = "", actions: NotedActions | None = None
) -> bytes:
    async with speech.serving(tls.server):
        client = tls.network.client("t", timeout_seconds=2)
        voice = CompatibleVoice(
            speech.url + url_suffix, client, actions or NotedActions(), model="ours", voice="nova"
        )
        try:
            frame = await voice.synthesize("Good morning.", conn_options=ONCE).collect()
        finally:
            await voice.aclose()
    assert (frame.sample_rate, frame.num_channels) == (24_000, 1)
    return frame.data.tobytes()


@pytest.mark.parametrize("suffix", ["", "/", "/audio/speech"])
async def test_the_request_is_openai_s(tls: OwnTls, suffix: str) -> None:
    speech = Speech()
    assert (await spoken(speech, tls, suffix))[: len(SOUND)] == SOUND
    assert speech.paths == ["/v1/audio/speech"]
    assert speech.bodies == [
        {"model": "ours", "voice": "nova", "input": "Good morning.", "response_format": "pcm"}
    ]


async def test_a_query_is_sent_with_each_request(tls: OwnTls) -> None:
    speech = Speech()
    await spoken(speech, tls, "?key=s3cret")
    assert speech.paths == ["/v1/audio/speech?key=s3cret"]


@pytest.mark.parametrize("media_type", ["audio/pcm; rate=24000", "application/octet-stream"])
async def test_servers_name_pcm_in_different_ways(tls: OwnTls, media_type: str) -> None:
    assert await spoken(Speech(media_type), tls)


@pytest.mark.parametrize("media_type", ["audio/mpeg", "audio/wav", "application/json", "text/html"])
async def test_what_is_not_pcm_is_not_played(tls: OwnTls, media_type: str) -> None:
    actions = NotedActions()
    with pytest.raises(APIError, match="does not answer with PCM"):
        await spoken(Speech(media_type), tls, actions=actions)
    assert actions.lines == [
        ("warning", f"custom_voice_url answered with '{media_type}': it must send audio/pcm.")
    ]


@pytest.mark.parametrize("status", [302, 401, 500])
async def test_another_status_is_a_failure(tls: OwnTls, status: int) -> None:
    with pytest.raises(APIStatusError) as refused:
        await spoken(Speech(status=status), tls)
    assert refused.value.status_code == status


async def test_a_text_without_sound_is_a_failure(tls: OwnTls) -> None:
    with pytest.raises(APIError):
        await spoken(Speech(body=b""), tls)
