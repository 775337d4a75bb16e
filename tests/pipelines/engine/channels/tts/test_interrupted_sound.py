"""The sound that a voice made of its text after it was interrupted is counted, as an estimate."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from livekit.agents import APIConnectOptions, tts
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS

from contracts.call_plan import ProviderChoice
from contracts.events import UsageReported
from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.circuit_breaker import CircuitBreaker
from pipelines.engine.channels.tts.recorded_words import RecordedWords
from pipelines.engine.channels.tts.speaking_place import DEFAULT_CHARACTERS_PER_SECOND
from pipelines.engine.channels.tts.supervised_tts import RATE_HZ, LastResort, SupervisedTTS
from pipelines.engine.channels.usage_rates import UsageRates
from pipelines.engine.usage_meter import UsageMeter
from pipelines.settings import ProviderDeadlines
from tests.pipelines.engine.actions import NotedReports

WHOLE, INTERRUPTED = "We are open from Monday to Friday.", "Please call us again tomorrow."
WHOLE_SECONDS, PART_SECONDS = 0.5, 0.1
PADDING_MS = 25
"""The engine ends the sound of each request with a piece of silence."""


class PausingVoice(tts.TTS[None]):
    """Says ``WHOLE``; of other texts only the beginning, until it is interrupted."""

    def __init__(self) -> None:
        capabilities = tts.TTSCapabilities(streaming=False)
        super().__init__(capabilities=capabilities, sample_rate=RATE_HZ, num_channels=1)
        self.pauses = asyncio.Event()

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.ChunkedStream:
        return _Pausing(tts=self, input_text=text, conn_options=conn_options)


class _Pausing(tts.ChunkedStream):
    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(
            request_id="1", sample_rate=RATE_HZ, num_channels=1, mime_type="audio/pcm"
        )
        is_whole = self.input_text == WHOLE
        seconds = WHOLE_SECONDS if is_whole else PART_SECONDS
        output_emitter.push(np.full(round(seconds * RATE_HZ), 3_000, np.int16).tobytes())
        output_emitter.flush()
        if not is_whole:
            assert isinstance(self._tts, PausingVoice)
            self._tts.pauses.set()
            await asyncio.Event().wait()


async def used(text: str, rates: UsageRates) -> UsageReported:
    """By a call whose caller interrupts the agent when the voice pauses."""
    voice = PausingVoice()
    choice = ProviderChoice(provider="vendor", model="voice")
    supervised = SupervisedTTS(
        Candidates([Candidate(choice, lambda: voice, CircuitBreaker(lambda: 0.0))]),
        ProviderDeadlines(),
        NotedReports(),
        LastResort(RecordedWords(RATE_HZ, {})),
        locale="en-US",
        rates=rates,
    )
    meter = UsageMeter()
    other = cast("Any", SimpleNamespace(on=lambda *_: None, estimated={}))
    meter.follow(other, other, supervised, None)
    async with supervised.stream() as stream:
        stream.push_text(text)
        stream.end_input()
        await voice.pauses.wait()
    await supervised.aclose()
    [report] = meter.reports()
    return report


async def test_the_rest_of_a_text_sounds_as_long_as_the_voice_s_other_texts() -> None:
    report = await used(f"{WHOLE} {INTERRUPTED}", UsageRates())
    whole_ms = 1000 * WHOLE_SECONDS
    interrupted_ms = whole_ms * len(INTERRUPTED) / len(WHOLE)
    assert report.audio_ms == pytest.approx(whole_ms + interrupted_ms, abs=PADDING_MS)
    assert interrupted_ms - 1000 * PART_SECONDS - PADDING_MS < report.estimated_audio_ms
    assert report.characters == len(WHOLE) + len(INTERRUPTED)


async def test_what_the_process_s_other_calls_know_of_a_voice_counts() -> None:
    rates = UsageRates()
    first = await used(INTERRUPTED, rates)
    assert first.audio_ms == pytest.approx(
        1000 * len(INTERRUPTED) / DEFAULT_CHARACTERS_PER_SECOND, abs=PADDING_MS
    )
    await used(f"{WHOLE} {INTERRUPTED}", rates)
    second = await used(INTERRUPTED, rates)
    assert second.audio_ms == pytest.approx(
        1000 * WHOLE_SECONDS * len(INTERRUPTED) / len(WHOLE), abs=PADDING_MS
    )
