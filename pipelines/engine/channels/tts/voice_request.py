"""One request to a voice: its sound, checked, resampled, handed on in time and given up in time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import numpy as np
import structlog
from livekit import rtc
from livekit.agents import APIError, tts
from livekit.agents.types import USERDATA_TIMED_TRANSCRIPT

from pipelines.engine.channels.model_failure import why_it_failed
from pipelines.engine.channels.tts.hand_over import HandOver
from pipelines.engine.channels.tts.sound_check import is_audible, is_sound
from pipelines.engine.channels.tts.timed_words import TimedWords
from pipelines.engine.channels.tts.voice_deadline import VoiceDeadline
from pipelines.engine.channels.tts.voice_failure import VoiceFailed
from pipelines.engine.providers.local.speech_models import Samples

SpeechStream = tts.ChunkedStream | tts.SynthesizeStream

logger = structlog.get_logger(__name__)


class VoiceRequest:
    def __init__(
        self,
        stream: SpeechStream,
        deadline: VoiceDeadline,
        hand_over: HandOver,
        hand_on: Callable[[Samples], None],
        rate_hz: int,
    ) -> None:
        """
        Args:
            hand_on: gets mono sound at ``rate_hz``.
        """
        self.stream = stream
        self.deadline = deadline
        self.hand_over = hand_over
        self.timed = TimedWords()
        self.is_audible = False
        self.is_abandoned = False
        self.characters = 0
        """Given to the voice."""
        self._hand_on = hand_on
        self._rate_hz = rate_hz
        self._resampler: rtc.AudioResampler | None = None
        self._timeout: asyncio.Timeout | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._loop = asyncio.get_running_loop()

    @property
    def received_seconds(self) -> float:
        return self.hand_over.received_samples / self._rate_hz

    def deadline_moved(self) -> None:
        """``deadline`` has been told something. Changes nothing while the voice is given up: then
        text may still come, for the next one."""
        if self._timeout is not None and not self._timeout.expired():
            due_at = self._loop.time() if self.is_abandoned else self.deadline.due_at
            self._timeout.reschedule(due_at)

    def abandon(self) -> None:
        """There is nothing to say: ``hear`` returns at once."""
        self.is_abandoned = True
        self.deadline_moved()

    async def hear(self, on_sound: Callable[[], None]) -> None:
        """Hand on what comes, until the voice says no more. Then ``finish`` or ``break_off``.

        Args:
            on_sound: called after each piece.

        Raises:
            VoiceFailed: it broke off, or nothing came in time.
        """
        timeout = asyncio.timeout_at(None)
        try:
            async with timeout:
                self._timeout = timeout
                self.deadline_moved()
                async for audio in self.stream:
                    self._take(audio.frame)
                    on_sound()
                    self.deadline_moved()
        except TimeoutError as error:
            if self.is_abandoned:
                return
            expired = timeout.expired()
            why = self.deadline.reason if expired else why_it_failed(error)
            raise VoiceFailed(why, is_silence=expired) from error
        except APIError as error:
            raise VoiceFailed(why_it_failed(error)) from error
        except VoiceFailed:
            raise
        except Exception as error:
            logger.exception("voice.plugin_failed")
            raise VoiceFailed(why_it_failed(error)) from error
        finally:
            self._timeout = None

    def finish(self) -> None:
        """All of it was sound of the text: hand on what is left."""
        if self._resampler is not None:
            for frame in self._resampler.flush():
                self._receive(np.frombuffer(frame.data, np.int16))
        self._stop_timer()
        self._hand(self.hand_over.finish(self._loop.time()))

    def break_off(self, count: int) -> None:
        """Hand on the first ``count`` samples of what is held."""
        self._stop_timer()
        self._hand(self.hand_over.break_off(count, self._loop.time()))

    def hand_on_all_but_the_last_words(self) -> None:
        self._stop_timer()
        self._hand(self.hand_over.all_but_the_last_words(self._loop.time()))

    def drop(self) -> None:
        """Hand on nothing more."""
        self._stop_timer()

    def _take(self, frame: rtc.AudioFrame) -> None:
        samples = np.frombuffer(frame.data, np.int16)
        if not is_sound(samples):
            raise VoiceFailed("what came is no sound")
        if timed := frame.userdata.get(USERDATA_TIMED_TRANSCRIPT):
            self.timed.add(timed, self.received_seconds)
        self.deadline.sound(self._loop.time(), frame.duration)
        if frame.num_channels > 1:
            samples = samples.reshape(-1, frame.num_channels).mean(axis=1).astype(np.int16)
        if frame.sample_rate == self._rate_hz:
            self._receive(samples)
            return
        if self._resampler is None:
            self._resampler = rtc.AudioResampler(frame.sample_rate, self._rate_hz)
        mono = rtc.AudioFrame(samples.tobytes(), frame.sample_rate, 1, samples.size)
        for resampled in self._resampler.push(mono):
            self._receive(np.frombuffer(resampled.data, np.int16))

    def _receive(self, samples: Samples) -> None:
        self.is_audible = self.is_audible or is_audible(samples)
        self._hand(self.hand_over.take(samples, self._loop.time()))
        self._set_timer()

    def _hand_on_what_is_due(self) -> None:
        self._hand(self.hand_over.due(self._loop.time()))
        self._set_timer()

    def _hand(self, samples: Samples) -> None:
        if samples.size:
            self._hand_on(samples)

    def _set_timer(self) -> None:
        self._stop_timer()
        if (due_at := self.hand_over.due_at) is not None:
            self._timer = self._loop.call_at(due_at, self._hand_on_what_is_due)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
