"""What stops an agent that speaks: words, and no other sound. Pure.

A recogniser says only after half a second whether a sound was a word, and a pause that a murmur
caused is heard as a stumble. So the sound itself decides, window by window:

- "Mhm" is said with a closed mouth, and so has almost nothing above 600 Hz. A word opens the mouth.
- A voice far below the caller's own is somebody else's, or a loudspeaker's.

Coughs, doors and music are no voice to the detector of voices, or seldom for long.

On recordings of people the agent stops after 96 ms of voice in the median and 240 ms in the 95th
percentile, counted from where the detector begins to take the sound for a voice.

A caller who speaks again within a second of their last sound had only paused, and the agent has
begun too early. Nobody listens and murmurs so soon. Then the agent stops at the first open sound.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from livekit.local_inference import VAD_WINDOW_SAMPLES
from numpy.typing import NDArray

from pipelines.engine.providers.local.speech_models import HEARING_RATE
from pipelines.texts.word_count import word_count

_OPEN_DB: Final = -12.0
"""Of what is above 600 Hz in an open sound, against what is below 500 Hz. Murmurs have -30."""
_LEAST_OPEN_DB: Final = -20.0
"""On a line, and of a voice, with little above 600 Hz at all."""
_BELOW_USUAL_DB: Final = 8.0
"""An open sound has so much less, at most, than the caller's voiced sounds on average."""
_AVERAGED_WINDOWS: Final = 60
"""Of voice, about two seconds."""
_OPEN_WINDOWS: Final = 2
_GOING_ON_OPEN_DB: Final = -22.0
"""For a caller who goes on: the narrowest vowels, which begin "it" and "we"."""
_GOING_ON_OPEN_WINDOWS: Final = 1
_PAUSE_WINDOWS: Final = 24
"""Of silence. The detector tells of silence after 0.25 s, so that this makes a second."""
_VOICED: Final = 0.45
"""How alike a voice's sound is after one period of its pitch, from -1 to 1. Noise has less."""
_LONGEST_MURMUR_WINDOWS: Final = 20
"""0.64 s. What lasts longer is taken for words, whatever it sounds like: some lines and voices have
little above 600 Hz."""
_ANOTHER_VOICE_DB: Final = 15.0
"""Below the caller's loudest vowels."""
_FORGOTTEN_DB: Final = 0.02
"""Per window of voice, which makes 6 dB in ten seconds: callers put their phones down."""
_TAPER: Final = np.hanning(VAD_WINDOW_SAMPLES)
_FREQUENCIES_HZ: Final = np.fft.rfftfreq(VAD_WINDOW_SAMPLES, 1 / HEARING_RATE)
_MURMUR: Final = (_FREQUENCIES_HZ >= 100) & (_FREQUENCIES_HZ <= 500)
_ABOVE: Final = (_FREQUENCIES_HZ > 600) & (_FREQUENCIES_HZ <= 3_500)
_PITCH_PERIODS: Final = np.arange(HEARING_RATE // 400, HEARING_RATE // 70 + 1)
"""Of voices, from 400 to 70 Hz, in samples."""
_BACKCHANNEL = re.compile(
    r"(?:\W*\b(?:m+h+m+|m+\W*h+m+|h+m+|m+|u+h*\W*h+u+h+|a+h*\W*h+a+h*"
    r"|[嗯唔]+|(?:[うふ]ー*ん)+|(?:อื+ม)+))+\W*",
    re.IGNORECASE,
)


def is_backchannel(text: str) -> bool:
    """Whether it says no more than that somebody listens ("mm-hmm")."""
    return _BACKCHANNEL.fullmatch(text) is not None


@dataclass
class _Sound:
    windows: int = 0
    """Those that are loud enough to be the caller's."""
    open: int = 0
    voiced: int = 0
    goes_on: bool = False
    """The caller had only paused."""

    @property
    def is_words(self) -> bool:
        enough = _GOING_ON_OPEN_WINDOWS if self.goes_on else _OPEN_WINDOWS
        is_open = self.open >= enough and self.voiced > 0
        return is_open or self.windows > _LONGEST_MURMUR_WINDOWS


class BargeIn:
    """Hears what the detector of voices takes for a voice, window by window."""

    def __init__(self) -> None:
        self._sound = _Sound()
        self._is_over = True
        self._silent_windows = _PAUSE_WINDOWS + 1
        """Since the caller's last words."""
        self._usual_db: float | None = None
        """The level of the caller's loudest vowels, which fades."""
        self._usual_openness_db = 0.0

    @property
    def stops_agent(self) -> bool:
        """Whether there are words in the sound that is heard, or in the last one."""
        return self._sound.is_words

    @property
    def goes_on(self) -> bool:
        """Whether the sound that is heard, or the last one, came shortly after words."""
        return self._sound.goes_on

    def stops_agent_as(self, text: str) -> bool:
        """The same, when the recogniser has written that sound down as ``text``."""
        if is_backchannel(text):
            return False
        # The sound of a word may be too short to tell, that of two is not.
        return self.stops_agent or (self._sound.windows > 0 and word_count(text) > 1)

    def hear_voice(self, window: NDArray[np.int16]) -> None:
        if self._is_over:
            goes_on = self._silent_windows <= _PAUSE_WINDOWS
            self._sound, self._is_over = _Sound(goes_on=goes_on), False
        samples = window.astype(np.float64)
        level_db = _db(float(np.mean(samples**2)))
        if self._usual_db is not None:
            self._usual_db -= _FORGOTTEN_DB
            if level_db < self._usual_db - _ANOTHER_VOICE_DB:
                return
        sound = self._sound
        sound.windows += 1
        openness_db = self._openness_db(samples)
        is_open = openness_db >= self._open_db
        sound.open += is_open
        if self._is_voiced(samples):
            sound.voiced += is_open
            self._usual_openness_db += (openness_db - self._usual_openness_db) / _AVERAGED_WINDOWS
            if is_open:
                usual_db = level_db if self._usual_db is None else self._usual_db
                self._usual_db = max(level_db, usual_db)

    @property
    def _open_db(self) -> float:
        if self._sound.goes_on:
            return _GOING_ON_OPEN_DB
        return min(_OPEN_DB, max(_LEAST_OPEN_DB, self._usual_openness_db - _BELOW_USUAL_DB))

    def hear_silence(self) -> None:
        """The sound is over: the next voice begins another."""
        if not self._is_over and self._sound.is_words:
            self._silent_windows = 0
        self._silent_windows += 1
        self._is_over = True

    def _openness_db(self, samples: NDArray[np.float64]) -> float:
        power = np.abs(np.fft.rfft(samples * _TAPER)) ** 2
        return _db(float(power[_ABOVE].sum())) - _db(float(power[_MURMUR].sum()))

    def _is_voiced(self, samples: NDArray[np.float64]) -> bool:
        samples = samples - samples.mean()
        spectrum = np.abs(np.fft.rfft(samples, 2 * samples.size)) ** 2
        alike = np.fft.irfft(spectrum)[_PITCH_PERIODS]
        energy = np.cumsum(samples**2)
        first = energy[samples.size - 1 - _PITCH_PERIODS]
        second = energy[-1] - energy[_PITCH_PERIODS - 1]
        return bool((alike >= _VOICED * np.sqrt(first * second) + 1).any())


def _db(power: float) -> float:
    return 10 * float(np.log10(power + 1))
