"""Voice activity detection for the engine, with the weights that ship with it.

The engine's own stream costs a call more than the room does: three tasks, five copies of the sound
and an event for each window, most of them to say that it is still silent. This one looks at a
window where it is pushed, and speaks only when there is something to say.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import structlog
from livekit import rtc
from livekit.agents import utils, vad
from livekit.local_inference import VAD as Silero
from livekit.local_inference import VAD_WINDOW_SAMPLES

from pipelines.engine.barge_in import BargeIn
from pipelines.engine.providers.local.speech_models import HEARING_RATE
from pipelines.engine.speech_segments import SpeechSegments, SpeechThresholds

log = structlog.get_logger(__name__)

WINDOW_SECONDS: Final = VAD_WINDOW_SAMPLES / HEARING_RATE
_SAMPLE_BYTES = 2
_WINDOW_BYTES = VAD_WINDOW_SAMPLES * _SAMPLE_BYTES
_BEFORE_SPEECH_BYTES = HEARING_RATE // 2 * _SAMPLE_BYTES
"""Half a second: a word's first sound is softer than a voice."""
_MOST_SPEECH_BYTES = 60 * HEARING_RATE * _SAMPLE_BYTES + _BEFORE_SPEECH_BYTES

_KIND: Final = {
    "began": vad.VADEventType.START_OF_SPEECH,
    "ended": vad.VADEventType.END_OF_SPEECH,
}


class VoiceActivity(vad.VAD):
    """Events as the engine's ``inference.VAD`` gives them, with three differences: in silence there
    is no ``INFERENCE_DONE`` but the first; ``INFERENCE_DONE`` of silence holds no sound; sound is
    that at 16 kHz.

    Args:
        with_sound: events hold what was said. Turn taking needs none.
        barge_in: is given what is heard. ``INFERENCE_DONE``, by which the engine stops the agent,
            then tells of no speech until there are words in it.
    """

    def __init__(
        self,
        thresholds: SpeechThresholds,
        *,
        with_sound: bool = True,
        barge_in: BargeIn | None = None,
    ) -> None:
        super().__init__(capabilities=vad.VADCapabilities(update_interval=WINDOW_SECONDS))
        self.thresholds = thresholds
        self._with_sound = with_sound
        self._barge_in = barge_in

    @property
    def model(self) -> str:
        return "silero"

    @property
    def provider(self) -> str:
        return "local"

    @property
    def min_silence_duration(self) -> float:
        """In seconds. The engine compares it with what its end-of-turn detector needs."""
        return self.thresholds.min_silence_seconds

    def for_turn_taking(self, barge_in: BargeIn) -> VoiceActivity:
        return VoiceActivity(self.thresholds, with_sound=False, barge_in=barge_in)

    def stream(self) -> VoiceActivityStream:
        return VoiceActivityStream(self, SpeechSegments(self.thresholds, WINDOW_SECONDS))


class VoiceActivityStream(vad.VADStream):
    """Takes mono sound of any rate, and detects while it takes.

    It starts none of the tasks of its base, whose constructor it therefore leaves out.
    """

    def __init__(self, parent: VoiceActivity, segments: SpeechSegments) -> None:
        self._segments = segments
        self._barge_in = parent._barge_in
        self._silero = Silero()
        self._resampler: rtc.AudioResampler | None = None
        self._input_rate = HEARING_RATE
        self._waiting = bytearray()
        """Less than a window."""
        self._speech = bytearray() if parent._with_sound else None
        self._was_quiet = False
        self._input_ended = False
        self._events = utils.aio.Chan[vad.VADEvent]()

    def push_frame(self, frame: rtc.AudioFrame) -> None:
        """Raises ``RuntimeError`` after ``end_input`` or ``aclose``."""
        self._check_open()
        if frame.sample_rate != self._input_rate:
            self._input_rate = frame.sample_rate
            self._resampler = _resampler(frame.sample_rate)
        if self._resampler is None:
            self._waiting += frame.data
        else:
            for resampled in self._resampler.push(frame):
                self._waiting += resampled.data
        start = 0
        while start + _WINDOW_BYTES <= len(self._waiting):
            self._take(bytes(self._waiting[start : start + _WINDOW_BYTES]))
            start += _WINDOW_BYTES
        del self._waiting[:start]

    def flush(self) -> None:
        """Forget what was heard: the next frame begins a new segment."""
        self._check_open()
        self._silero.reset()
        self._segments.reset()
        self._resampler = _resampler(self._input_rate)
        self._waiting.clear()
        if self._speech is not None:
            self._speech.clear()
        self._was_quiet = False

    def end_input(self) -> None:
        """Events that wait can still be read."""
        self.flush()
        self._input_ended = True
        self._events.close()

    async def aclose(self) -> None:
        self._input_ended = True
        self._events.close()

    async def _main_task(self) -> None:
        """Nothing to do: ``push_frame`` does it."""

    async def __anext__(self) -> vad.VADEvent:
        return await self._events.__anext__()

    def _check_open(self) -> None:
        if self._input_ended:
            raise RuntimeError("this stream of voice activity takes no more sound")

    def _take(self, window: bytes) -> None:
        segments = self._segments
        samples = np.frombuffer(window, np.int16)
        probability = self._silero.predict(samples)
        if self._speech is not None:
            self._keep(window)
        if self._barge_in is not None:
            if segments.is_voice(probability):
                self._barge_in.hear_voice(samples)
            elif segments.is_quiet:
                self._barge_in.hear_silence()
        segments.hear()
        if not (segments.is_quiet and self._was_quiet):
            self._tell(
                vad.VADEventType.INFERENCE_DONE,
                None if segments.is_quiet else window,
                probability=probability,
                raw_accumulated_silence=segments.quiet_run_seconds,
                raw_accumulated_speech=segments.voice_run_seconds,
            )
        self._was_quiet = segments.is_quiet
        change = segments.judge(probability)
        if change is not None:
            self._was_quiet = False
            self._tell(_KIND[change], self._speech)
            if change == "ended":
                segments.forget_speech()
        if self._speech is not None and segments.is_quiet:
            del self._speech[:-_BEFORE_SPEECH_BYTES]

    def _speech_seconds(self, kind: vad.VADEventType) -> float:
        """What the engine is told."""
        segments, barge_in = self._segments, self._barge_in
        if kind is not vad.VADEventType.INFERENCE_DONE or barge_in is None:
            return segments.speech_seconds
        if not barge_in.stops_agent:
            return 0.0
        if barge_in.goes_on and segments.voice_run_seconds > 0:
            # This window is not counted yet, and speech begins only after it.
            return max(segments.speech_seconds, segments.voice_run_seconds + WINDOW_SECONDS)
        return segments.speech_seconds

    def _keep(self, window: bytes) -> None:
        assert self._speech is not None
        if len(self._speech) < _MOST_SPEECH_BYTES:
            self._speech += window
            if len(self._speech) >= _MOST_SPEECH_BYTES:
                log.warning("voice_activity.speech_too_long", seconds=self._segments.seconds)

    def _tell(self, kind: vad.VADEventType, sound: bytes | bytearray | None, **more: float) -> None:
        segments = self._segments
        self._events.send_nowait(
            vad.VADEvent(
                type=kind,
                samples_index=segments.windows * VAD_WINDOW_SAMPLES,
                timestamp=segments.seconds,
                speech_duration=self._speech_seconds(kind),
                silence_duration=segments.silence_seconds,
                frames=[] if sound is None or self._speech is None else [_frame(sound)],
                speaking=segments.is_speech,
                **more,
            )
        )


def _frame(sound: bytes | bytearray) -> rtc.AudioFrame:
    return rtc.AudioFrame(bytes(sound), HEARING_RATE, 1, len(sound) // _SAMPLE_BYTES)


def _resampler(input_rate: int) -> rtc.AudioResampler | None:
    if input_rate == HEARING_RATE:
        return None
    return rtc.AudioResampler(input_rate, HEARING_RATE, quality=rtc.AudioResamplerQuality.QUICK)
