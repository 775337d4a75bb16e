"""What the supervised voice costs beside the bare one: ``python -m bench.supervised_voice``.

A voice that answers at once speaks 3 s; printed are medians per reply, of both in turn in one run.
"""

from __future__ import annotations

import asyncio
import statistics
import time
from typing import Any

import numpy as np
from livekit.agents import APIConnectOptions, tts
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS

from contracts.call_plan import Channel, ProviderChoice
from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.reports import ChannelSwitch
from pipelines.engine.channels.tts.recorded_words import RecordedWords
from pipelines.engine.channels.tts.supervised_tts import RATE_HZ, LastResort, SupervisedTTS
from pipelines.settings import ProviderDeadlines

_REPLIES = 100
_TEXT = "We are open from Monday to Friday. You can reach us by telephone."
_SOUND = np.random.default_rng(1).normal(0, 2_500, 3 * RATE_HZ // 2).astype(np.int16).tobytes()


class _Voice(tts.TTS[Any]):
    def __init__(self) -> None:
        capabilities = tts.TTSCapabilities(streaming=False)
        super().__init__(capabilities=capabilities, sample_rate=RATE_HZ, num_channels=1)

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.ChunkedStream:
        return _Sentence(tts=self, input_text=text, conn_options=conn_options)


class _Sentence(tts.ChunkedStream):
    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(
            request_id="1", sample_rate=RATE_HZ, num_channels=1, mime_type="audio/pcm"
        )
        output_emitter.push(_SOUND)
        output_emitter.flush()


class _NoReports:
    def switched(self, switch: ChannelSwitch) -> None:
        raise AssertionError(switch)

    def exhausted(self, channel: Channel, why: str) -> None:
        raise AssertionError(why)


async def _reply(voice: tts.TTS[Any]) -> tuple[float, float]:
    """Milliseconds to the first sound, and of processor time."""
    began, processor = time.perf_counter(), time.process_time()
    first = 0.0
    async with voice.stream() as stream:
        for word in _TEXT.split(" "):
            stream.push_text(f"{word} ")
        stream.end_input()
        async for _ in stream:
            first = first or time.perf_counter() - began
    return 1_000 * first, 1_000 * (time.process_time() - processor)


async def main() -> None:
    candidate = Candidate(ProviderChoice(provider="local", model="voice"), _Voice)
    words = LastResort(RecordedWords(RATE_HZ, {}))
    voices: dict[str, tts.TTS[Any]] = {
        "bare": tts.StreamAdapter(tts=_Voice()),
        "supervised": SupervisedTTS(
            Candidates([candidate]), ProviderDeadlines(), _NoReports(), words, locale="en-US"
        ),
    }
    measured: dict[str, list[tuple[float, float]]] = {name: [] for name in voices}
    for _ in range(_REPLIES):
        for name, voice in voices.items():
            measured[name].append(await _reply(voice))
    for name, replies in measured.items():
        first, processor = (statistics.median(column) for column in zip(*replies, strict=True))
        print(f"{name:12} first sound {first:6.2f} ms   processor {processor:6.2f} ms per reply")


if __name__ == "__main__":
    asyncio.run(main())
