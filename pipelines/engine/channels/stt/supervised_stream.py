"""What one recogniser after another hears and tells, as one stream of the engine's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import structlog
from livekit import rtc
from livekit.agents import APIConnectOptions, NotGivenOr, stt

from pipelines.engine.channels.candidates import Candidates
from pipelines.engine.channels.model_failure import why_it_failed
from pipelines.engine.channels.reports import ChannelReports, ChannelSwitch
from pipelines.engine.channels.stt.audio_ring import AudioRing
from pipelines.engine.channels.stt.farewells import Farewells
from pipelines.engine.channels.stt.listening import ENDED, Listening
from pipelines.engine.channels.stt.recogniser_habits import END_COMES_LAST, TEXT_AFTER_VOICE
from pipelines.engine.channels.stt.recogniser_order import Recogniser, RecogniserOrder
from pipelines.engine.channels.stt.spoken_events import SpokenEvents, has_words
from pipelines.engine.channels.stt.unheard_voice import UnheardVoice, Verdict
from pipelines.engine.channels.stt.voice_analysis import VoiceDetector
from pipelines.engine.providers.local.speech_models import HEARING_RATE
from pipelines.engine.providers.spec import ProviderUnavailable
from pipelines.settings import ProviderDeadlines

if TYPE_CHECKING:
    from pipelines.engine.channels.stt.supervised_stt import SupervisedSTT

log = structlog.get_logger(__name__)

RING_SECONDS = 10.0
_MOST_UNHEARD = 2
"""Voices in succession that a recogniser may leave without any answer when no other hears words in
them either. Music may be taken for one voice; nobody speaks twice into a working line unheard."""
_JUDGED_SAMPLES = HEARING_RATE // 10
_COUNTED_SAMPLES = 2 * HEARING_RATE
_SHORTEST_WORDS = HEARING_RATE // 10
"""Together: to look at each frame by itself costs more than to hear it."""


class SupervisedStream(stt.RecognizeStream):
    """Errors of recognisers never come out of it.

    A recogniser that fails is replaced at once. One that is merely silent about a voice may be
    right, because a cough or music is no word: then the next one is asked for a second opinion.
    Only if that one hears words was the silence a fault, and it takes over; words of the first in
    the meantime end the doubt. When the voice has ended, only final ones do.
    """

    def __init__(
        self,
        parent: SupervisedSTT,
        candidates: Candidates[stt.STT[Any]],
        deadlines: ProviderDeadlines,
        reports: ChannelReports,
        *,
        language: NotGivenOr[str],
        new_detector: Callable[[], VoiceDetector],
        clock: Callable[[], float],
    ) -> None:
        once = APIConnectOptions(max_retry=0, timeout=deadlines.connect_seconds)
        super().__init__(stt=parent, conn_options=once, sample_rate=HEARING_RATE)
        self._parent = parent
        self._order = RecogniserOrder(candidates)
        self._reports = reports
        self._language = language
        self._clock = clock
        self._ring = AudioRing(RING_SECONDS)
        self._unheard = UnheardVoice(self._ring, deadlines, new_detector)
        self._judged = 0
        self._counted = 0
        self._events = SpokenEvents()
        self._current: Listening | None = None
        self._second: Listening | None = None
        """Asked for its opinion while ``_current`` is silent."""
        self._asked: list[Recogniser] = []
        """For their opinions about the same voice."""
        self._doubt = Verdict.NO_TEXT
        self._unheard_voices = 0
        self._has_asked_again = False
        """For the words of the present voice."""
        self._has_input_ended = False
        self._over = asyncio.Event()
        self._farewells = Farewells()

    # The sound is given on in the engine's own call: a queue and a task would cost every frame.

    def push_frame(self, frame: rtc.AudioFrame) -> None:
        self._check_input_not_ended()
        self._check_not_closed()
        if frame.sample_rate == HEARING_RATE and self._resampler is None:
            self._hear(frame)
            return
        if self._resampler is None:
            self._resampler = rtc.AudioResampler(
                frame.sample_rate, HEARING_RATE, quality=rtc.AudioResamplerQuality.HIGH
            )
        for resampled in self._resampler.push(frame):
            self._hear(resampled)

    def flush(self) -> None:
        self._check_input_not_ended()
        self._check_not_closed()
        if self._resampler is not None:
            for frame in self._resampler.flush():
                self._hear(frame)
        for listening in self._listeners():
            listening.flush()

    def end_input(self) -> None:
        self.flush()
        self._has_input_ended = True
        self._input_ch.close()
        for listening in self._listeners():
            listening.end_input()

    async def _run(self) -> None:
        self._take_over_from(None, "", lost_ms=0)
        try:
            await self._over.wait()
        finally:
            for listening in self._listeners():
                self._dismiss(listening)
            await self._farewells.aclose()

    def _listeners(self) -> list[Listening]:
        return [each for each in (self._current, self._second) if each is not None]

    def _hear(self, frame: rtc.AudioFrame) -> None:
        self._ring.append(frame.data.cast("B"))
        if self._current is None:
            return
        self._current.push(frame)
        if self._second is not None:
            self._second.push(frame)
        if self._ring.end - self._counted >= _COUNTED_SAMPLES:
            self._counted = self._ring.end
            for listening in self._listeners():
                if listening.answered_at is not None:
                    self._count(listening)
        if self._ring.end - self._judged >= _JUDGED_SAMPLES:
            self._judge(self._current)

    def _judge(self, current: Listening) -> None:
        samples = self._ring.read(self._judged, self._ring.end)
        self._judged = self._ring.end
        verdict = self._unheard.heard(samples, self._clock())
        if verdict is None and self._second is not None and self._unheard.is_overdue:
            self._nobody_answers(current, self._second)
            return
        if verdict is Verdict.NO_VOICE:
            self._silence_was_right()
        elif verdict is not None:
            second = self._second
            if second is not None and second.candidate.is_our_own and second.is_speaking:
                # Ours has heard the voice and is at work on it. It tells when it is done.
                return
            self._doubt = self._doubt if second is not None else verdict
            if self._is_ours_and_alive(current):
                self._nobody_heard_words(current)
            else:
                self._ask_another(current)

    def _nobody_answers(self, current: Listening, second: Listening) -> None:
        """The caller hears something now, whether or not ``second`` still finds words."""
        if self._has_asked_again or second.candidate.is_our_own or self._has_answered(current):
            return
        if self._unheard_voices + 1 >= _MOST_UNHEARD:
            self._nobody_heard_words(current)
        else:
            self._has_asked_again = True
            self._parent.ask_again()

    def _is_ours_and_alive(self, listening: Listening) -> bool:
        """Our own model hears the voice and finds no words in it, or has too much to do."""
        return listening.candidate.is_our_own and self._has_answered(listening)

    def _on_event(self, listening: Listening, event: stt.SpeechEvent) -> None:
        match event.type:
            case stt.SpeechEventType.RECOGNITION_USAGE:
                # Their own streams have told it as metrics. And plugins count what they send, so it
                # is no sign of life.
                return
            case stt.SpeechEventType.START_OF_SPEECH:
                listening.is_speaking = True
            case stt.SpeechEventType.END_OF_SPEECH:
                listening.is_speaking = False
                self._end_told_by(listening)
        listening.answered_at = self._clock()
        if has_words(event):
            self._words_from(listening, event)
        if listening is self._current:
            self._tell(event, listening)

    def _words_from(self, listening: Listening, event: stt.SpeechEvent) -> None:
        now, is_final = self._clock(), event.type is stt.SpeechEventType.FINAL_TRANSCRIPT
        if listening is self._second:
            self._second_was_right(listening)
        elif listening is not self._current:
            return
        elif self._second is not None:
            if self._doubt.is_final_due and not is_final:
                return
            self._dismiss(self._second)
            self._second = None
        self._unheard_voices = 0
        self._has_asked_again = False
        self._asked.clear()
        if is_final:
            self._unheard.final(now, self._end_of(event, listening))
            listening.is_proven = True
            self._order.succeeded(listening.candidate)
        else:
            self._unheard.text(now)

    def _end_told_by(self, listening: Listening) -> None:
        if listening.candidate.choice.provider not in END_COMES_LAST:
            return
        if listening is self._second and self._current is not None:
            self._ask_another(self._current)
        elif listening is self._current and self._second is None:
            self._unheard.ended_without_words()

    def _on_end(self, listening: Listening, why: str) -> None:
        if listening.answered_at is None and why != ENDED:
            # It has refused, and heard nothing.
            listening.given_samples = 0
        if listening is self._second:
            self._second = None
            self._blame(listening)
            if self._current is not None:
                self._ask_another(self._current)
        elif listening is self._current:
            if self._has_input_ended and why == ENDED:
                self._over.set()
                return
            self._replace(listening, why)

    def _replace(self, failed: Listening, why: str) -> None:
        lost_ms = self._lost_ms(failed)
        self._blame(failed)
        if self._second is not None:
            self._current, self._second = self._second, None
            self._report(failed.candidate.name, self._current, why, lost_ms)
        else:
            self._take_over_from(failed.candidate.name, why, lost_ms=lost_ms)

    def _take_over_from(self, failed: str | None, why: str, *, lost_ms: int) -> None:
        """Ask one after the other until one listens; with none, tell that hearing has ended."""
        failures = [] if failed is None else [(failed, why, lost_ms)]
        self._current = None
        while (candidate := self._order.next()) is not None:
            opened = self._open(candidate)
            if isinstance(opened, Listening):
                self._current = opened
                for name, reason, lost in failures:
                    self._report(name, opened, reason, lost)
                return
            self._order.cannot_run(candidate)
            failures.append((candidate.name, opened, 0))
        name, reason, _ = failures[-1] if failures else ("no recogniser", "is there", 0)
        self._give_up(f"{name} {reason}")

    def _ask_another(self, silent: Listening) -> None:
        """For a second opinion about the voice that ``silent`` has given no words for."""
        if self._second is not None:
            self._dismiss(self._second)
            self._second = None
        while (candidate := self._next_opinion(silent.candidate)) is not None:
            self._asked.append(candidate)
            is_hurried = self._order.has_our_own_besides(silent.candidate, *self._asked)
            opened = self._open(candidate, is_hurried=is_hurried)
            if isinstance(opened, Listening):
                self._second = opened
                return
            self._order.cannot_run(candidate)
        self._nobody_heard_words(silent)

    def _next_opinion(self, silent: Recogniser) -> Recogniser | None:
        other = self._order.next(silent, *self._asked)
        is_alone = other is None and not self._asked
        # Alone, it may still hear what its broken connection has not. Ours has none.
        return silent if is_alone and not silent.is_our_own else other

    def _second_was_right(self, second: Listening) -> None:
        silent, self._current, self._second = self._current, second, None
        if silent is not None:
            self._blame(silent)
            self._report(
                silent.candidate.name, second, self._doubt.value, self._lost_ms(silent, second)
            )

    def _nobody_heard_words(self, silent: Listening) -> None:
        has_answered = self._has_answered(silent)
        self._asked.clear()
        self._has_asked_again = False
        self._silence_was_right()
        self._unheard.settle(self._ring.end)
        if silent.candidate.is_our_own or has_answered:
            return
        self._unheard_voices += 1
        if self._unheard_voices >= _MOST_UNHEARD:
            self._blame(silent)
            self._current = None
            self._give_up(f"{silent.candidate.name} {self._doubt.value}")

    def _has_answered(self, listening: Listening) -> bool:
        """Whether it gave any event since the voice began that it gave no words for."""
        since = self._unheard.open_since
        answered_at = listening.answered_at
        return answered_at is not None and (since is None or answered_at >= since)

    def _silence_was_right(self) -> None:
        if self._second is not None:
            self._dismiss(self._second)
            self._second = None
        if self._current is not None and not self._current.is_speaking:
            for event in self._events.end():
                self._event_ch.send_nowait(event)

    def _give_up(self, why: str) -> None:
        for event in self._events.end():
            self._event_ch.send_nowait(event)
        self._parent.exhausted(why)
        if self._has_input_ended:
            self._over.set()

    def _open(self, candidate: Recogniser, *, is_hurried: bool = False) -> Listening | str:
        """Returns why not if the candidate cannot listen."""
        start, now = self._unheard.replay_from, self._clock()
        once = self._conn_options
        try:
            model = self._parent.ready(candidate)
            stream = model.stream(language=self._language, conn_options=once)
        except ProviderUnavailable as error:
            return f"cannot be used: {error}"
        except Exception as error:  # noqa: BLE001 - whatever a plugin raises, the next one hears
            log.warning("recogniser.not_opened", recogniser=candidate.name, error=repr(error))
            return why_it_failed(error)
        stream.start_time_offset = self.start_time_offset + start / HEARING_RATE
        gives_interim = (
            model.capabilities.interim_results and candidate.choice.provider not in TEXT_AFTER_VOICE
        )
        self._unheard.asked(now, gives_interim=gives_interim, is_hurried=is_hurried)
        listening = Listening(
            candidate,
            stream,
            self._ring,
            start,
            asked_at=now,
            on_event=self._on_event,
            on_end=self._on_end,
        )
        if self._has_input_ended:
            listening.end_input()
        return listening

    def _tell(self, event: stt.SpeechEvent, listening: Listening) -> None:
        for told in self._events.pass_on(event, is_speaking=listening.is_speaking):
            self._event_ch.send_nowait(told)

    def _end_of(self, event: stt.SpeechEvent, listening: Listening) -> int | None:
        """Where in the ring the final words end, if the recogniser tells that truly."""
        if isinstance(self._parent.ready(listening.candidate), stt.StreamAdapter):
            # Its times begin with each utterance.
            return None
        seconds = event.alternatives[0].end_time - self.start_time_offset
        position = round(seconds * HEARING_RATE)
        # Without times of its own, a plugin tells where its stream began, to which the engine adds
        # the moment that it took to begin.
        credible = listening.start + _SHORTEST_WORDS < position <= self._ring.end
        return position if credible else None

    def _lost_ms(self, failed: Listening, taken_over_by: Listening | None = None) -> int:
        """From the first sound without final words. Without any, from when a recogniser was asked
        that has never answered."""
        until = self._clock() if taken_over_by is None else taken_over_by.asked_at
        since = self._unheard.open_since
        if since is None and failed.answered_at is None:
            since = failed.asked_at
        return 0 if since is None else max(0, round((until - max(since, failed.asked_at)) * 1000))

    def _report(self, failed: str, taken_over_by: Listening, why: str, lost_ms: int) -> None:
        name = taken_over_by.candidate.name
        self._reports.switched(ChannelSwitch("stt", failed, name, why, lost_ms))

    def _blame(self, failed: Listening) -> None:
        self._order.failed(failed.candidate, was_working=failed.is_proven)
        self._dismiss(failed)

    def _count(self, listening: Listening) -> None:
        seconds, listening.given_samples = listening.given_samples / HEARING_RATE, 0
        if seconds:
            self._parent.heard(listening.candidate, seconds)

    def _dismiss(self, listening: Listening) -> None:
        self._count(listening)
        self._farewells.begin(listening)
