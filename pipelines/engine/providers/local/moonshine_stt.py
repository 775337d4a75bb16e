"""Moonshine as the engine's streaming speech-to-text, driven by voice activity."""

from __future__ import annotations

import asyncio
import time
import uuid

import numpy as np
from livekit import rtc
from livekit.agents import (
    APIConnectionError,
    APIConnectOptions,
    LanguageCode,
    NotGivenOr,
    stt,
    utils,
    vad,
)
from livekit.agents.types import DEFAULT_API_CONNECT_OPTIONS, NOT_GIVEN

from pipelines.engine.providers.local.speech_buffer import Decode, DecodeTiming, SpeechBuffer
from pipelines.engine.providers.local.speech_models import (
    HEARING_RATE,
    ModelError,
    Recogniser,
    Samples,
)

_LANGUAGE = LanguageCode("en")
_LEAST_VOICE_SECONDS = 0.16
"""The model hears words in any click, but no word is shorter than this."""
_EVENT_OF = {
    Decode.INTERIM: stt.SpeechEventType.INTERIM_TRANSCRIPT,
    Decode.PREFLIGHT: stt.SpeechEventType.PREFLIGHT_TRANSCRIPT,
    Decode.PART: stt.SpeechEventType.FINAL_TRANSCRIPT,
}


class MoonshineSTT(stt.STT[None]):
    """A final text comes when ``voice_activity`` reports the end of speech.

    Confidence is always 0.0, because the model gives none.
    """

    def __init__(
        self,
        model: Recogniser,
        voice_activity: vad.VAD,
        *,
        timing: DecodeTiming | None = None,
    ) -> None:
        super().__init__(
            capabilities=stt.STTCapabilities(
                streaming=True, interim_results=True, offline_recognize=True
            )
        )
        self._moonshine = model
        self._voice_activity = voice_activity
        self._timing = timing

    @property
    def model(self) -> str:
        return "moonshine-tiny-en"

    @property
    def provider(self) -> str:
        return "local"

    def stream(
        self,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions = DEFAULT_API_CONNECT_OPTIONS,
    ) -> MoonshineStream:
        return MoonshineStream(
            self, self._moonshine, self._voice_activity.stream(), self._timing, conn_options
        )

    async def _recognize_impl(
        self,
        buffer: utils.AudioBuffer,
        *,
        language: NotGivenOr[str] = NOT_GIVEN,
        conn_options: APIConnectOptions,
    ) -> stt.SpeechEvent:
        frame = rtc.combine_audio_frames(buffer)
        if frame.sample_rate != HEARING_RATE:
            resampler = rtc.AudioResampler(frame.sample_rate, HEARING_RATE)
            frame = rtc.combine_audio_frames(resampler.push(frame) + resampler.flush())
        text = await _transcribe(self._moonshine, np.asarray(frame.data, dtype=np.int16)) or ""
        return stt.SpeechEvent(
            type=stt.SpeechEventType.FINAL_TRANSCRIPT,
            alternatives=[stt.SpeechData(language=_LANGUAGE, text=text, end_time=frame.duration)],
        )


class MoonshineStream(stt.RecognizeStream):
    def __init__(
        self,
        parent: MoonshineSTT,
        model: Recogniser,
        voice_activity: vad.VADStream,
        timing: DecodeTiming | None,
        conn_options: APIConnectOptions,
    ) -> None:
        super().__init__(stt=parent, conn_options=conn_options, sample_rate=HEARING_RATE)
        self._moonshine = model
        self._voice_activity = voice_activity
        self._timing = timing
        self._unbilled_seconds = 0.0
        self._request_id = ""
        self._text = ""

    async def _run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._listen())
            tasks.create_task(self._transcribe_utterances())

    async def aclose(self) -> None:
        await super().aclose()
        await self._voice_activity.aclose()

    async def _listen(self) -> None:
        async for frame in self._input_ch:
            if isinstance(frame, rtc.AudioFrame):
                self._unbilled_seconds += frame.duration
                self._voice_activity.push_frame(frame)
        self._voice_activity.end_input()

    async def _transcribe_utterances(self) -> None:
        speech: SpeechBuffer | None = None
        async for event in self._voice_activity:
            match event.type:
                case vad.VADEventType.START_OF_SPEECH:
                    speech = self._begin(event)
                    self._send(stt.SpeechEventType.START_OF_SPEECH)
                case vad.VADEventType.INFERENCE_DONE if speech is not None:
                    decode = speech.extend(_samples(event), event.raw_accumulated_silence)
                    if decode is None:
                        continue
                    await self._decode(speech, _EVENT_OF[decode], event)
                    if decode is Decode.PART:
                        speech = self._begin(event)
                case vad.VADEventType.END_OF_SPEECH if speech is not None:
                    await self._settle(speech, event)
                    speech = None
        if speech is not None:
            await self._decode(speech, stt.SpeechEventType.FINAL_TRANSCRIPT, None)
        self._bill()

    def _begin(self, event: vad.VADEvent) -> SpeechBuffer:
        samples = _samples(event)
        self._request_id = uuid.uuid4().hex
        self._text = ""
        return SpeechBuffer(
            samples,
            sample_rate=HEARING_RATE,
            started_at_seconds=max(0.0, event.timestamp - len(samples) / HEARING_RATE),
            timing=self._timing,
        )

    async def _settle(self, speech: SpeechBuffer, event: vad.VADEvent) -> None:
        final = stt.SpeechEventType.FINAL_TRANSCRIPT
        if speech.has_undecoded_voice:
            await self._decode(speech, final, event)
        elif self._text:
            self._send_text(final, speech, event)
        self._send(stt.SpeechEventType.END_OF_SPEECH)
        self._bill()

    async def _decode(
        self, speech: SpeechBuffer, kind: stt.SpeechEventType, event: vad.VADEvent | None
    ) -> None:
        if event is not None and _voice_seconds(event) < _LEAST_VOICE_SECONDS:
            self._text = ""
            return
        started_at = time.monotonic()
        only_if_idle = kind is stt.SpeechEventType.INTERIM_TRANSCRIPT
        text = await _transcribe(self._moonshine, speech.audio(), only_if_idle=only_if_idle)
        if text is None:
            return
        self._text = text
        speech.decoding_took(time.monotonic() - started_at)
        if self._text:
            self._send_text(kind, speech, event)

    def _send_text(
        self, kind: stt.SpeechEventType, speech: SpeechBuffer, event: vad.VADEvent | None
    ) -> None:
        ended_at = speech.started_at_seconds + speech.seconds
        if event is not None:
            ended_at = event.timestamp - max(event.raw_accumulated_silence, event.silence_duration)
        data = stt.SpeechData(
            language=_LANGUAGE,
            text=self._text,
            start_time=speech.started_at_seconds + self.start_time_offset,
            end_time=max(ended_at, speech.started_at_seconds) + self.start_time_offset,
        )
        self._send(kind, data)

    def _send(self, kind: stt.SpeechEventType, data: stt.SpeechData | None = None) -> None:
        self._event_ch.send_nowait(
            stt.SpeechEvent(
                type=kind, request_id=self._request_id, alternatives=[data] if data else []
            )
        )

    def _bill(self) -> None:
        usage = stt.RecognitionUsage(audio_duration=self._unbilled_seconds)
        self._unbilled_seconds = 0.0
        self._event_ch.send_nowait(
            stt.SpeechEvent(
                type=stt.SpeechEventType.RECOGNITION_USAGE,
                request_id=self._request_id,
                recognition_usage=usage,
            )
        )


def _voice_seconds(event: vad.VADEvent) -> float:
    if event.type is vad.VADEventType.END_OF_SPEECH:
        return event.speech_duration
    return event.speech_duration - event.raw_accumulated_silence


def _samples(event: vad.VADEvent) -> Samples:
    return np.concatenate([np.frombuffer(frame.data, dtype=np.int16) for frame in event.frames])


async def _transcribe(
    model: Recogniser, samples: Samples, *, only_if_idle: bool = False
) -> str | None:
    try:
        if only_if_idle:
            return await model.transcribe_if_idle(samples)
        return await model.transcribe(samples)
    except ModelError as error:
        raise APIConnectionError(f"Moonshine: {error}") from error
