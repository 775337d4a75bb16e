"""A tenant's transcriber as the engine hears it."""

from __future__ import annotations

import numpy as np
import pytest
from livekit import rtc
from livekit.agents import APIConnectOptions, APIError, stt

from pipelines.engine.providers.custom.endpoint import Endpoint
from pipelines.engine.providers.custom.transcriber import CustomTranscriber as Transcriber
from tests.pipelines.engine.actions import NotedActions
from tests.stand_ins import deepgram_wire as wire
from tests.stand_ins.custom_transcriber import CustomTranscriber
from tests.stand_ins.deepgram_wire import HZ, Behaviour, Samples
from tests.stand_ins.own_tls import OwnTls

ONCE = APIConnectOptions(max_retry=0, timeout=1.0)


async def transcribe(samples: Samples) -> str:
    return "good morning"


def sound(*seconds: tuple[float, bool]) -> Samples:
    """By length, and whether it is loud."""
    return np.concatenate(
        [np.full(int(each * HZ), 9_000 * loud, np.int16) for each, loud in seconds]
    )


async def heard(
    server: CustomTranscriber, tls: OwnTls, samples: Samples, actions: NotedActions
) -> list[stt.SpeechEvent]:
    async with server.serving():
        endpoint = Endpoint(server.url, "custom_transcriber_url", "t", tls.network, actions)
        model = Transcriber(endpoint, model="ours", language="en-US", keywords=())
        stream = model.stream(conn_options=ONCE)
        stream.start_time_offset = 10.0
        for begin in range(0, len(samples), HZ // 50):
            piece = samples[begin : begin + HZ // 50]
            stream.push_frame(rtc.AudioFrame(piece.tobytes(), HZ, 1, len(piece)))
        stream.end_input()
        try:
            return [event async for event in stream]
        finally:
            await stream.aclose()
            await model.aclose()


async def test_texts_have_the_call_s_times_and_all_sound_is_counted(tls: OwnTls) -> None:
    server = CustomTranscriber(tls.server, transcribe)
    samples = sound((0.5, False), (1.0, True), (0.5, False))
    events = await heard(server, tls, samples, NotedActions())
    kinds = [event.type for event in events]
    assert kinds[0] is stt.SpeechEventType.INTERIM_TRANSCRIPT
    [final] = [event for event in events if event.type is stt.SpeechEventType.FINAL_TRANSCRIPT]
    data = final.alternatives[0]
    assert (data.text, data.language) == ("good morning", "en-US")
    # The stream counts from where the call's sound began.
    assert (data.start_time, data.end_time) == pytest.approx((10.5, 11.5), abs=0.06)
    counted = [event.recognition_usage for event in events if event.recognition_usage]
    assert sum(each.audio_duration for each in counted) == pytest.approx(2.0)


async def test_what_was_not_final_at_the_end_is_asked_for(tls: OwnTls) -> None:
    server = CustomTranscriber(tls.server, transcribe, gives_interim=False)
    events = await heard(server, tls, sound((0.5, True)), NotedActions())
    assert events[0].type is stt.SpeechEventType.FINAL_TRANSCRIPT
    assert server.finalized == 1


@pytest.mark.parametrize(
    "behaviour", [wire.status(401), wire.refuses(), wire.drops(), wire.sends_garbage()]
)
async def test_a_server_that_fails_raises_the_engine_s_errors(
    tls: OwnTls, behaviour: Behaviour
) -> None:
    actions = NotedActions()
    server = CustomTranscriber(tls.server, transcribe, [behaviour])
    with pytest.raises(APIError):
        await heard(server, tls, sound((1.0, True)), actions)
    is_garbage = behaviour.fault == "garbage"
    assert actions.lines == (
        [
            (
                "warning",
                "custom_transcriber_url does not keep to the format: a text message is no JSON.",
            )
        ]
        if is_garbage
        else []
    )
