"""The servers of docs/custom-endpoints.md work as they stand there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import numpy as np
import pytest
from livekit import rtc
from livekit.agents import APIConnectOptions, stt
from websockets.asyncio.server import serve

from pipelines.engine.providers.custom.endpoint import Endpoint
from pipelines.engine.providers.custom.streaming_voice import StreamingVoice
from pipelines.engine.providers.custom.transcriber import CustomTranscriber
from tests.docs.blocks import ROOT, blocks_of
from tests.pipelines.engine.actions import NotedActions
from tests.stand_ins.own_tls import OwnTls

ONCE = APIConnectOptions(max_retry=0, timeout=2.0)
HZ = 16_000


@asynccontextmanager
async def documented(function: str, tls: OwnTls) -> AsyncIterator[Endpoint]:
    """The server whose handler has that name."""
    [program] = [
        block.text
        for block in blocks_of(ROOT / "docs" / "custom-endpoints.md")
        if f"async def {function}(" in block.text
    ]
    names: dict[str, Any] = {"__name__": "documented"}
    exec(compile(program, "custom-endpoints.md", "exec"), names)
    async with serve(names[function], "127.0.0.1", 0, ssl=tls.server) as server:
        port = server.sockets[0].getsockname()[1]
        url = f"wss://127.0.0.1:{port}/"
        yield Endpoint(url, "the field", "t", tls.network, NotedActions())


async def test_the_voice(tls: OwnTls) -> None:
    async with documented("speak", tls) as endpoint:
        voice = StreamingVoice(
            endpoint, model="custom", voice="nova", language="en-US", connect_seconds=1.0
        )
        for text in ("Good morning.", "Good evening to you."):
            frame = await voice.synthesize(text, conn_options=ONCE).collect()
            assert frame.duration == pytest.approx(len(text) / 15, abs=0.03)
            assert np.abs(np.frombuffer(frame.data, np.int16)).max() == pytest.approx(8_000, abs=1)
        await voice.aclose()


async def test_the_transcriber(tls: OwnTls) -> None:
    async with documented("listen", tls) as endpoint:
        transcriber = CustomTranscriber(endpoint, model="custom", language="en-US", keywords=())
        stream = transcriber.stream(conn_options=ONCE)
        loud, quiet = np.full(HZ, 9_000, np.int16), np.zeros(HZ, np.int16)
        for samples in (quiet, loud, quiet, loud):
            stream.push_frame(rtc.AudioFrame(samples.tobytes(), HZ, 1, HZ))
        stream.end_input()
        events = [event async for event in stream]
        await stream.aclose()
    said = [
        event.alternatives[0].text
        for event in events
        if event.type is stt.SpeechEventType.FINAL_TRANSCRIPT
    ]
    assert said == ["You spoke for 1.3 seconds.", "You spoke for 1.0 seconds."]
