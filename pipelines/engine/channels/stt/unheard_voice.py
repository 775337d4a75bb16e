"""Whether a recogniser has missed what a caller said. Pure: sound and texts in, verdicts out.

A voice is looked for only when there is doubt: while a recogniser answers what is loud with words,
as it does nearly always, no voice activity detection runs here. Deadlines are judged when sound
comes, so that nothing is missed while none comes.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from pipelines.engine.channels.stt.audio_ring import AudioRing
from pipelines.engine.channels.stt.loudness import Loudness
from pipelines.engine.channels.stt.voice_analysis import VoiceAnalysis, VoiceDetector
from pipelines.engine.channels.time_left import IN_TIME_SECONDS, time_left
from pipelines.engine.providers.local.speech_models import HEARING_RATE, Samples
from pipelines.settings import ProviderDeadlines

_LEAST_VOICE_SECONDS = 0.2
"""Shorter ones are clicks, or the end of a word that was heard."""
_LAST_RESORT_SECONDS = 0.4
"""That a model of our own takes for a sentence."""
_DOUBT_OF_DEADLINE = 0.5
"""The part of the shortest deadline after which a voice is looked for."""
_BEFORE_TEXT_SAMPLES = HEARING_RATE
"""Texts in time come at most so late. In the sound that long before one a voice may have ended."""
_LEAD_IN_SAMPLES = HEARING_RATE // 2
"""Replayed before the first loud sound: words begin softly."""
_PAUSE_SAMPLES = HEARING_RATE // 4
_REST_OF_WORD_SAMPLES = HEARING_RATE // 5
"""Recognisers' times of words are about so exact."""
_BEFORE_WORD_END_SAMPLES = HEARING_RATE // 20


class Verdict(Enum):
    NO_TEXT = "gave no text while a voice was heard"
    NOT_FINAL = "did not finish its text after the voice had ended"
    NOTHING = "gave no text for a voice that has ended"
    NO_VOICE = "rightly gave no text: there was no voice"

    @property
    def is_final_due(self) -> bool:
        """Whether the voice had ended, so that only final words answer it."""
        return self in (Verdict.NOT_FINAL, Verdict.NOTHING)


class UnheardVoice:
    def __init__(
        self,
        ring: AudioRing,
        deadlines: ProviderDeadlines,
        new_detector: Callable[[], VoiceDetector],
    ) -> None:
        self._ring = ring
        self._final_seconds = deadlines.stt_final_seconds
        self._no_text_seconds = deadlines.stt_no_text_seconds
        self._doubt_seconds = _DOUBT_OF_DEADLINE * min(self._final_seconds, self._no_text_seconds)
        self._new_detector = new_detector
        self._loudness = Loudness()
        self._gives_interim = True
        self._settled = 0
        self._loud_from = 0
        """Where the latest loud stretch began."""
        self._last_loud = 0
        self._open_from: int | None = None
        self._owed_since: float | None = None
        self._text_at: float | None = None
        """When words came last that were not final."""
        self._look_from = 0
        self._has_open_text = False
        self._analysis: VoiceAnalysis | None = None
        self._asked_at = 0.0
        self._is_hurried = False
        self.open_since: float | None = None
        """When the oldest sound came whose words are not final; None without any."""

    @property
    def replay_from(self) -> int:
        """From where on another recogniser has to hear the sound."""
        first = self._ring.end if self._open_from is None else self._open_from
        return max(self._settled, self._ring.start, first - _LEAD_IN_SAMPLES)

    @property
    def is_overdue(self) -> bool:
        """Whether an answer to the voice should have been given by now."""
        heard = self._analysis
        if heard is None or heard.voice_seconds < _LEAST_VOICE_SECONDS:
            return False
        return (self._ring.end - heard.silent_from) / HEARING_RATE >= IN_TIME_SECONDS

    def asked(self, now: float, *, gives_interim: bool, is_hurried: bool = False) -> None:
        """Another recogniser hears the sound from ``replay_from`` on, and has its own deadlines.

        Args:
            is_hurried: one comes after it, which is to be asked in time.
        """
        self._asked_at = now
        self._is_hurried = is_hurried
        self._gives_interim = gives_interim
        self._has_open_text = False
        self._analysis = None
        self._owed_since = None
        if self._open_from is not None:
            self._owed_since = now
            self._look_from = self.replay_from

    def heard(self, samples: Samples, now: float) -> Verdict | None:
        """The sound that was just appended to the ring. A verdict comes once."""
        if self._loudness.is_loud(samples):
            self._is_loud(self._ring.end - len(samples), now)
        if self._owed_since is None or now - self._owed_since < self._doubt_seconds:
            return None
        if self._analysis is None:
            self._analysis = VoiceAnalysis(self._ring, self._look_from, self._new_detector())
        if not self._analysis.advance():
            return None
        verdict = self._judge(self._analysis, self._owed_since, now)
        if verdict is Verdict.NO_VOICE:
            self.settle(self._ring.end - _LEAD_IN_SAMPLES)
        elif verdict is not None:
            self._owed_since = None
            self._analysis = None
        return verdict

    def text(self, now: float) -> None:
        """Words came that are not final."""
        self._has_open_text = True
        self._text_at = now
        # Later ones are of a voice that has ended: they do not put off its final words.
        may_be_of_now = self._ring.end - self._last_loud <= _BEFORE_TEXT_SAMPLES
        if may_be_of_now or self._owed_since is None:
            self._owe(now, self._ring.end - _BEFORE_TEXT_SAMPLES)
        if self._open_from is None:
            self._open_from, self.open_since = self._look_from, now

    def final(self, now: float, ended_at: int | None) -> None:
        """Final words came.

        Args:
            ended_at: where the last of them ended; None if the recogniser did not say.
        """
        self.settle(self._between_words(ended_at))
        if self._last_loud > self._settled + _REST_OF_WORD_SAMPLES:
            self._open_from, self.open_since = self._settled, now
            self._owe(now, self._settled + _REST_OF_WORD_SAMPLES)

    def ended_without_words(self) -> None:
        """The recogniser told that an utterance is over."""
        if self._ring.end - self._last_loud > _PAUSE_SAMPLES:
            self.settle(self._last_loud)

    def settle(self, position: int) -> None:
        """What was heard up to ``position`` needs no other recogniser."""
        self._settled = max(self._settled, position)
        self._has_open_text = False
        self._analysis = None
        self._owed_since = self._open_from = self.open_since = None

    def _is_loud(self, began: int, now: float) -> None:
        if began - self._last_loud > _PAUSE_SAMPLES:
            self._loud_from = began
        self._last_loud = self._ring.end
        if self._open_from is None:
            self._open_from, self.open_since = began, now
        if self._owed_since is None:
            self._owe(now, began - _BEFORE_WORD_END_SAMPLES)

    def _owe(self, now: float, look_from: int) -> None:
        self._owed_since = now
        self._look_from = max(look_from, self._settled)
        self._analysis = None

    def _judge(self, heard: VoiceAnalysis, owed_since: float, now: float) -> Verdict | None:
        silent_seconds = (self._ring.end - heard.silent_from) / HEARING_RATE
        has_voice = heard.voice_seconds >= _LEAST_VOICE_SECONDS
        if silent_seconds >= self._final_seconds:
            if not has_voice and not self._has_open_text:
                return Verdict.NO_VOICE
            if now - self._asked_at < self._patience_seconds(silent_seconds, now):
                return None
            return Verdict.NOT_FINAL if self._has_open_text else Verdict.NOTHING
        if not self._gives_interim or not has_voice or heard.first_voice is None:
            return None
        spoken_seconds = (self._ring.end - heard.first_voice) / HEARING_RATE
        textless_since = owed_since if self._text_at is None else max(owed_since, self._text_at)
        is_late = min(now - textless_since, spoken_seconds) >= self._no_text_seconds
        return Verdict.NO_TEXT if is_late else None

    def _patience_seconds(self, silent_seconds: float, now: float) -> float:
        """With the one that was asked last, after the end of the voice."""
        if not self._is_hurried:
            return self._final_seconds
        waited_seconds = max(0.0, silent_seconds - (now - self._asked_at))
        return time_left(self._final_seconds, waited_seconds, _LAST_RESORT_SECONDS)

    def _between_words(self, ended_at: int | None) -> int:
        """A position after final words at which no word is cut."""
        if ended_at is not None:
            return self._ring.quietest(
                ended_at - _BEFORE_WORD_END_SAMPLES, ended_at + _REST_OF_WORD_SAMPLES
            )
        if self._ring.end - self._last_loud > _PAUSE_SAMPLES:
            return self._last_loud
        # The caller goes on: the words were those before the latest pause, if there was one.
        has_paused = self._open_from is not None and self._loud_from > self._open_from
        return self._loud_from if has_paused else self._ring.end
