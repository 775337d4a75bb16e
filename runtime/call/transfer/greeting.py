"""Who has answered a phone to which a call is transferred: a person, or a machine. Pure.

Only the sound counts. What the person says before the agent has spoken is meant for nobody, so
nothing recognises its words.
"""

from __future__ import annotations

from enum import Enum, auto

from runtime.call.voicemail.line_noise import LineNoise
from runtime.call.voicemail.watch import Verdict, VoicemailWatch
from runtime.media.room import Samples

PEOPLE_HZ = 48_000
LOUD = 500.0
"""Root mean square of a frame, of 32,768: above a quiet room, below quiet speech on a phone."""
SPOKEN_FRAMES = 8
"""A click is no greeting."""
WAITS_AFTER_SECONDS = 0.9
"""Of silence after a greeting. Pauses within a machine's greeting are mostly shorter."""
SILENT_SECONDS = 3.0
"""Some people pick up and say nothing."""


class Answered(Enum):
    PERSON = auto()
    """Somebody waits for our first word."""
    MACHINE = auto()


class GreetingWatch:
    """Each answer comes once; a machine may be noticed after a person was.

    Times are monotonic, in seconds.
    """

    def __init__(self, answered_at: float) -> None:
        self._machine = VoicemailWatch(answered_at, PEOPLE_HZ)
        self._noise = LineNoise(LOUD)
        self._quiet_since = self._answered_at = answered_at
        self._loud_frames = 0
        self._is_person = False

    def frame(self, heard: Samples, now: float) -> Answered | None:
        """20 ms of the phone at ``PEOPLE_HZ``."""
        is_loud = self._noise.is_exceeded(heard)
        self._machine.speech(is_loud, now)
        if self._machine.frame(heard, now) is Verdict.MACHINE:
            return Answered.MACHINE
        if is_loud:
            self._loud_frames += 1
            self._quiet_since = now
        if self._is_person:
            return None
        if self._loud_frames >= SPOKEN_FRAMES:
            self._is_person = now - self._quiet_since >= WAITS_AFTER_SECONDS
        else:
            self._is_person = now - self._answered_at >= SILENT_SECONDS
        return Answered.PERSON if self._is_person else None
