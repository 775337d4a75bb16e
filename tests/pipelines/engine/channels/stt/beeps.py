"""A language of beeps, for tests in virtual time: each word has a loudness of its own.

A recogniser of it hears even a piece of a word, so that no cut through a word stays unnoticed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from livekit import rtc
from livekit.agents import APIConnectionError, LanguageCode, stt
from livekit.agents.types import (
    DEFAULT_API_CONNECT_OPTIONS,
    NOT_GIVEN,
    APIConnectOptions,
    NotGivenOr,
)
from numpy.typing import NDArray

from contracts.call_plan import ProviderChoice
from pipelines.engine.channels.candidates import Candidate
from pipelines.engine.channels.circuit_breaker import CircuitBreaker
from pipelines.engine.channels.reports import ChannelSwitch

Samples = NDArray[np.int16]
Kind = stt.SpeechEventType

HZ = 16_000
FRAME = HZ // 50
WORD_SECONDS = 0.3
GAP_SECONDS = 0.1
FINAL_SECONDS = 0.3
_BLOCK = 160
_FIRST = 1_000
_STEP = 100
_COUGH = 900


def silence(seconds: float) -> Samples:
    return np.zeros(int(seconds * HZ), np.int16)


def _sound(loudness: int, seconds: float) -> Samples:
    samples = np.full(int(seconds * HZ), loudness, np.int16)
    samples[1::2] = -loudness
    return samples


def said(*words: int) -> Samples:
    """One utterance, without silence around it."""
    pieces = []
    for word in words:
        pieces += [_sound(_FIRST + _STEP * word, WORD_SECONDS), silence(GAP_SECONDS)]
    return np.concatenate(pieces[:-1])


def cough(seconds: float = 0.3) -> Samples:
    """A voice without words."""
    return _sound(_COUGH, seconds)


def detector(samples: Samples) -> float:
    return float(np.abs(samples).max() >= _COUGH)


@dataclass
class Breaks:
    """What becomes of one connection."""

    how: Literal["never", "raises", "hangs", "ends"] = "never"
    after_seconds: float = 0.0
    """Of sound heard."""


NEVER = Breaks()


class BeepSTT(stt.STT[None]):
    """Connections break as told, the last one's way for ever."""

    def __init__(
        self,
        *breaks: Breaks,
        tells_times: bool = True,
        interim_results: bool = True,
        told_voice: bool = True,
        final_seconds: float = FINAL_SECONDS,
        late_seconds: float = 0.0,
        begins_late_seconds: float = 0.0,
    ) -> None:
        super().__init__(
            capabilities=stt.STTCapabilities(streaming=True, interim_results=interim_results)
        )
        self.breaks = breaks or (NEVER,)
        self.tells_times = tells_times
        self.told_voice = told_voice
        self.final_seconds = final_seconds
        self.late_seconds = late_seconds
        """By which texts and ends come later than they should."""
        self.begins_late_seconds = begins_late_seconds
        """Added to the stream's beginning, as the engine adds what its own start has taken."""
        self.streams: list[BeepStream] = []
        self.is_closed = False

    @property
    def model(self) -> str:
        return "the plugin's own name"

    def stream(
        self,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> BeepStream:
        breaks = self.breaks[min(len(self.streams), len(self.breaks) - 1)]
        self.streams.append(BeepStream(self, breaks, conn_options))
        return self.streams[-1]

    async def aclose(self) -> None:
        self.is_closed = True

    async def _recognize_impl(self, *args: Any, **options: Any) -> stt.SpeechEvent:
        raise NotImplementedError


class BeepStream(stt.RecognizeStream):
    def __init__(self, parent: BeepSTT, breaks: Breaks, options: APIConnectOptions) -> None:
        super().__init__(stt=parent, conn_options=options)
        self.heard_seconds = 0.0
        self._parent = parent
        self._breaks = breaks
        self._words: list[int] = []
        self._last_loudness = 0
        self._silent_seconds = 0.0
        self._word_ended_at = 0.0
        self._is_speaking = False

    @property
    def is_closed(self) -> bool:
        return self._task.done()

    async def _run(self) -> None:
        if self._breaks.how == "raises" and not self._breaks.after_seconds:
            raise APIConnectionError("no connection")
        async for frame in self._input_ch:
            if not isinstance(frame, rtc.AudioFrame):
                continue
            self.heard_seconds += frame.duration
            usage = stt.RecognitionUsage(audio_duration=frame.duration)
            self._event_ch.send_nowait(
                stt.SpeechEvent(Kind.RECOGNITION_USAGE, recognition_usage=usage)
            )
            if self._breaks.how != "never" and self.heard_seconds > self._breaks.after_seconds:
                if self._breaks.how == "raises":
                    raise APIConnectionError("broken off")
                if self._breaks.how == "ends":
                    return
                continue
            self._take(np.frombuffer(frame.data, np.int16), frame.duration)

    def _take(self, samples: Samples, seconds: float) -> None:
        for start in range(0, len(samples), _BLOCK):
            ended_at = self.heard_seconds - seconds + (start + _BLOCK) / HZ
            self._take_block(int(np.abs(samples[start : start + _BLOCK]).max()), ended_at)

    def _take_block(self, loudness: int, ended_at: float) -> None:
        was_word, is_word = self._last_loudness >= _FIRST, loudness >= _FIRST
        self._last_loudness = loudness
        if loudness and not self._is_speaking and self._parent.told_voice:
            self._is_speaking = True
            self._event_ch.send_nowait(stt.SpeechEvent(Kind.START_OF_SPEECH))
        if is_word:
            if not was_word:
                self._words.append((loudness - _FIRST) // _STEP)
            self._word_ended_at = ended_at
        elif was_word:
            self._tell(Kind.INTERIM_TRANSCRIPT)
        self._silent_seconds = 0.0 if loudness else self._silent_seconds + _BLOCK / HZ
        if self._silent_seconds >= self._parent.final_seconds and (
            self._words or self._is_speaking
        ):
            if self._words:
                self._tell(Kind.FINAL_TRANSCRIPT)
                self._words = []
            if self._is_speaking:
                self._is_speaking = False
                self._send(stt.SpeechEvent(Kind.END_OF_SPEECH))

    def _tell(self, kind: Kind) -> None:
        ended_at = self._word_ended_at if self._parent.tells_times else 0.0
        data = stt.SpeechData(
            language=LanguageCode("en"),
            text=" ".join(f"w{word}" for word in self._words),
            start_time=self.start_time_offset + self._parent.begins_late_seconds,
            end_time=ended_at + self.start_time_offset + self._parent.begins_late_seconds,
        )
        self._send(stt.SpeechEvent(kind, alternatives=[data]))

    def _send(self, event: stt.SpeechEvent) -> None:
        if not self._parent.late_seconds:
            self._event_ch.send_nowait(event)
            return
        loop = asyncio.get_running_loop()
        loop.call_later(self._parent.late_seconds, self._send_late, event)

    def _send_late(self, event: stt.SpeechEvent) -> None:
        if not self._event_ch.closed:
            self._event_ch.send_nowait(event)


def candidate(
    name: str, model: stt.STT[Any], breaker: CircuitBreaker | None = None
) -> Candidate[stt.STT[Any]]:
    return Candidate(ProviderChoice(provider=name, model="m"), lambda: model, breaker)


class Reports:
    def __init__(self) -> None:
        self.switches: list[ChannelSwitch] = []
        self.exhaustions: list[tuple[str, str]] = []

    def switched(self, switch: ChannelSwitch) -> None:
        self.switches.append(switch)

    def exhausted(self, channel: str, why: str) -> None:
        self.exhaustions.append((channel, why))


@dataclass
class Heard:
    events: list[tuple[float, stt.SpeechEvent]]

    def finals(self) -> list[str]:
        return [
            word
            for _, event in self.events
            if event.type is Kind.FINAL_TRANSCRIPT
            for word in event.alternatives[0].text.split()
        ]

    def last_final_at(self) -> float:
        return max(at for at, event in self.events if event.type is Kind.FINAL_TRANSCRIPT)

    def starts_and_ends(self) -> list[Kind]:
        return [
            event.type
            for _, event in self.events
            if event.type in (Kind.START_OF_SPEECH, Kind.END_OF_SPEECH)
        ]


async def played(stream: stt.RecognizeStream, sound: Sequence[int] | Samples) -> Heard:
    """What ``stream`` tells while it hears ``sound`` at the speed of a call."""
    samples = np.asarray(sound, np.int16)
    loop = asyncio.get_running_loop()
    heard = Heard([])
    began_at = loop.time()

    async def listen() -> None:
        async for event in stream:
            heard.events.append((loop.time() - began_at, event))

    listening = asyncio.create_task(listen())
    for start in range(0, len(samples) - FRAME + 1, FRAME):
        piece = samples[start : start + FRAME]
        stream.push_frame(rtc.AudioFrame(piece.tobytes(), HZ, 1, FRAME))
        await asyncio.sleep(began_at + (start + FRAME) / HZ - loop.time())
    await stream.aclose()
    await asyncio.gather(listening, return_exceptions=True)
    return heard
