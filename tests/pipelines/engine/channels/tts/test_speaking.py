"""One reply by several voices that speak as they are told, without a network and without clocks."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from livekit.agents import APIConnectionError, APIConnectOptions, tts
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS

from contracts.call_plan import ProviderChoice
from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.circuit_breaker import CircuitBreaker
from pipelines.engine.channels.tts.recorded_words import RecordedWords
from pipelines.engine.channels.tts.supervised_tts import RATE_HZ, LastResort, SupervisedTTS
from pipelines.settings import ProviderDeadlines
from tests.pipelines.engine.actions import NotedReports
from tests.stand_ins.voice_faults import Samples, joined

WORD_SECONDS = 0.4
LONG, LAST = "We are open from Monday to Friday.", "Please call us again tomorrow."
_STEPS = 20
"""Of the loop, in which the engine hands on what a voice has sent."""


class ScriptedVoice(tts.TTS[None]):
    """Says each word as ``WORD_SECONDS`` of one value and knows no times. It breaks off within the
    last word of ``breaks_off_in``."""

    def __init__(self, value: int, breaks_off_in: str = "") -> None:
        capabilities = tts.TTSCapabilities(streaming=False)
        super().__init__(capabilities=capabilities, sample_rate=RATE_HZ, num_channels=1)
        self.value = value
        self.breaks_off_in = breaks_off_in
        self.texts: list[str] = []

    def synthesize(
        self, text: str, *, conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS
    ) -> tts.ChunkedStream:
        return _Scripted(self, text, conn_options)


class _Scripted(tts.ChunkedStream):
    def __init__(self, voice: ScriptedVoice, text: str, options: APIConnectOptions) -> None:
        super().__init__(tts=voice, input_text=text, conn_options=options)
        self._voice = voice

    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        voice, text = self._voice, self.input_text
        voice.texts.append(text)
        output_emitter.initialize(
            request_id="1", sample_rate=RATE_HZ, num_channels=1, mime_type="audio/pcm"
        )
        breaks_off = text == voice.breaks_off_in
        words = len(text.split()) - 0.5 * breaks_off
        sound = np.full(round(words * WORD_SECONDS * RATE_HZ), voice.value, np.int16)
        output_emitter.push(sound.tobytes())
        output_emitter.flush()
        if breaks_off:
            for _ in range(_STEPS):
                await asyncio.sleep(0)
            raise APIConnectionError


@dataclass
class Spoken:
    first: ScriptedVoice
    second: ScriptedVoice
    parts: list[Samples] = field(default_factory=list)

    def words_of(self, voice: ScriptedVoice) -> float:
        samples = np.count_nonzero(joined(self.parts) == voice.value)
        return round(samples / RATE_HZ / WORD_SECONDS, 1)


async def spoken(text: str, *, breaks_off_in: str) -> Spoken:
    made = Spoken(ScriptedVoice(3_000, breaks_off_in), ScriptedVoice(5_000))

    def candidate(voice: ScriptedVoice, name: str) -> Candidate[Any]:
        choice = ProviderChoice(provider=name, model="voice")
        return Candidate(choice, lambda: voice, CircuitBreaker(lambda: 0.0))

    voice = SupervisedTTS(
        Candidates([candidate(made.first, "first"), candidate(made.second, "second")]),
        ProviderDeadlines(),
        NotedReports(),
        LastResort(RecordedWords(RATE_HZ, {})),
        locale="en-US",
    )
    async with voice.stream() as stream:
        stream.push_text(text)
        stream.end_input()
        made.parts += [np.frombuffer(audio.frame.data, np.int16) async for audio in stream]
    await voice.aclose()
    return made


async def test_a_sentence_of_which_nothing_was_heard_yet_is_said_whole_by_the_next_voice() -> None:
    """The caller still hears the sentence before it. Where in the new one a voice without times
    broke off, nobody could tell for sure."""
    made = await spoken(f"{LONG} {LAST}", breaks_off_in=LAST)
    assert made.first.texts == [LONG, LAST]
    assert made.second.texts == [LAST]
    assert made.words_of(made.first) == 7
    assert made.words_of(made.second) == 5


async def test_the_next_voice_goes_on_in_the_sentence_of_which_a_part_was_heard() -> None:
    made = await spoken(f"{LONG} {LAST}", breaks_off_in=LONG)
    assert made.first.texts == [LONG]
    rest, last = made.second.texts
    assert last == LAST
    assert LONG.endswith(rest)
    assert len(rest) < len(LONG)
    assert made.words_of(made.second) == len(rest.split()) + 5
