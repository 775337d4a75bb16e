"""One recogniser while it hears a caller: what was said before it was asked, then what is said."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import structlog
from livekit import rtc
from livekit.agents import APIError, stt

from pipelines.engine.channels.candidates import Candidate
from pipelines.engine.channels.model_failure import why_it_failed
from pipelines.engine.channels.stt.audio_ring import AudioRing
from pipelines.engine.providers.local.speech_models import HEARING_RATE

log = structlog.get_logger(__name__)

ENDED = "ended its stream while sound was coming"
"""Why it failed, if it raised nothing."""
_REPLAYED_SAMPLES = HEARING_RATE // 5
_REPLAY_PAUSE_SECONDS = 0.005
"""Between two pieces: ten seconds take a quarter of one, and no other call waits for them."""
_FAREWELL_SECONDS = 15.0
"""For closing a stream in the background: some plugins tell what they cost only afterwards."""
_FORCED_SECONDS = 0.5


class Listening:
    def __init__(
        self,
        candidate: Candidate[stt.STT[Any]],
        stream: stt.RecognizeStream,
        ring: AudioRing,
        start: int,
        *,
        asked_at: float,
        on_event: Callable[[Listening, stt.SpeechEvent], None],
        on_end: Callable[[Listening, str], None],
    ) -> None:
        """
        Args:
            start: the first position of ``ring`` that the stream gets.
            on_end: gets why the stream ended. Not called after ``aclose``.
        """
        self.candidate = candidate
        self.start = start
        self.asked_at = asked_at
        self.is_proven = False
        """Whether it has given final words."""
        self.answered_at: float | None = None
        """When it has last given an event."""
        self.given_samples = 0
        """Since they were last counted."""
        self.is_speaking = False
        """Whether it has told the start of speech, and no end of it."""
        self._stream = stream
        self._ring = ring
        self._on_event = on_event
        self._on_end = on_end
        self._has_input_ended = False
        self._is_live = start == ring.end
        self._replaying = None if self._is_live else asyncio.create_task(self._replay())
        self._reading = asyncio.create_task(self._read())

    def push(self, frame: rtc.AudioFrame) -> None:
        """What was just appended to the ring."""
        if self._is_live:
            self._give(frame)

    def flush(self) -> None:
        if self._is_live and self._stream._stt.capabilities.manual_flush:
            with contextlib.suppress(RuntimeError):
                self._stream.flush()

    def end_input(self) -> None:
        self._has_input_ended = True
        if self._is_live:
            with contextlib.suppress(RuntimeError):
                self._stream.end_input()

    async def aclose(self) -> None:
        """Tell the stream to close and wait for it. Cancelled, it is closed by force."""
        tasks = [task for task in (self._replaying, self._reading) if task is not None]
        for task in tasks:
            task.cancel()
        closing = asyncio.create_task(self._stream.aclose())
        try:
            await asyncio.wait({closing, *tasks}, timeout=_FAREWELL_SECONDS)
        finally:
            if not closing.done():
                # It waits for a goodbye of the server. A second cancellation ends that.
                self._stream._task.cancel()
                await asyncio.wait({closing}, timeout=_FORCED_SECONDS)
            _take_exception(closing)
            _take_exception(self._stream._task)

    async def _replay(self) -> None:
        position = self.start
        while position < self._ring.end:
            samples = self._ring.read(position, position + _REPLAYED_SAMPLES)
            position = min(position + _REPLAYED_SAMPLES, self._ring.end)
            self._give(rtc.AudioFrame(samples.tobytes(), HEARING_RATE, 1, len(samples)))
            await asyncio.sleep(_REPLAY_PAUSE_SECONDS)
        self._is_live = True
        if self._has_input_ended:
            self.end_input()

    def _give(self, frame: rtc.AudioFrame) -> None:
        try:
            self._stream.push_frame(frame)
            self.given_samples += frame.samples_per_channel
        except RuntimeError:
            # It has just ended, which its reader will know in a moment.
            self._is_live = False

    async def _read(self) -> None:
        try:
            async for event in self._stream:
                self._on_event(self, event)
            why = ENDED
        except (APIError, ExceptionGroup) as error:
            why = why_it_failed(error)
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises, the next one hears
            why = why_it_failed(error)
            log.warning("recogniser.failed", recogniser=self.candidate.name, why=why)
        self._on_end(self, why)


def _take_exception(task: asyncio.Task[None]) -> None:
    """Of a stream that nobody listens to any more: else asyncio prints it."""
    if task.done() and not task.cancelled():
        task.exception()
