"""Decides from what is heard after the answer whether it is a machine, and when it records. Pure.

People say a word or two and wait. Machines speak on, use words of their own, and end with a beep.
"""

from __future__ import annotations

from enum import Enum, auto

from runtime.call.voicemail.beep import BeepDetector
from runtime.call.voicemail.greetings import sounds_recorded
from runtime.call.voicemail.line_noise import LineNoise
from runtime.media.room import Samples

WATCH_SECONDS = 25.0
"""After the answer. Later, a machine would have recorded already."""
GREETING_SECONDS = 6.0
"""A person who answers does not speak for so long without a pause."""
PAUSE_SECONDS = 0.8
"""A shorter one is within a sentence."""
RECORDS_AFTER_SECONDS = 2.5
"""A machine that has been silent for so long has beeped without our hearing it, or does not beep.
"""

LONGEST_GREETING_SECONDS = 60.0
"""Of a machine, since it was noticed. No longer does the call wait until it records."""

QUIET_RMS = 330
"""-40 dBFS. The noise of a good line is below it."""


class Verdict(Enum):
    MACHINE = auto()
    RECORDS = auto()
    """It is a machine, and what is said now is recorded."""
    SPEAKS_ON = auto()
    """It is a machine whose greeting does not end."""


class VoicemailWatch:
    """Each verdict comes once. ``now`` is monotonic, in seconds.

    Args:
        sample_hz: of the frames that it hears.
    """

    def __init__(self, answered_at: float, sample_hz: int) -> None:
        self._over_at = answered_at + WATCH_SECONDS
        self._beep = BeepDetector(sample_hz)
        self._noise = LineNoise(QUIET_RMS)
        self._speaks_since: float | None = None
        self._silent_since: float | None = answered_at
        self.is_machine = False
        """Whether a machine has answered, as far as is known."""
        self._greets_since: float | None = None
        self._has_beeped = False
        self._records = False
        self._speaks_on = False

    def is_over(self, now: float) -> bool:
        """Whether no verdict will follow."""
        if self.is_machine:
            return self._records or self._speaks_on
        return now > self._over_at

    def words(self, text: str, now: float) -> Verdict | None:
        """What was understood until now of what is being said."""
        if self.is_over(now) or not sounds_recorded(text):
            return None
        return self._machine()

    def speech(self, is_speaking: bool, now: float) -> None:
        """Somebody on the phone began or stopped to speak."""
        if is_speaking:
            paused_seconds = 0.0 if self._silent_since is None else now - self._silent_since
            if self._speaks_since is None or paused_seconds > PAUSE_SECONDS:
                self._speaks_since = now
            self._silent_since = None
        elif self._silent_since is None:
            self._silent_since = now

    def frame(self, heard: Samples, now: float) -> Verdict | None:
        """20 ms of what is heard. Returns the verdict that it brings, if any."""
        if self.is_over(now):
            return None
        is_loud = self._noise.is_exceeded(heard)
        if self._beep.heard(heard):
            self._has_beeped = True
            return self._machine()
        if not self.is_machine:
            since = self._speaks_since if self._silent_since is None else None
            is_greeting = since is not None and now - since >= GREETING_SECONDS
            return self._machine() if is_greeting else None
        if self._greets_since is None:
            self._greets_since = now
        # Nobody listens to a machine for words any more, so nobody says when it falls silent.
        self.speech(is_loud, now)
        beep_is_over = self._has_beeped and not self._beep.is_sounding
        silent_for = 0.0 if self._silent_since is None else now - self._silent_since
        if beep_is_over or silent_for >= RECORDS_AFTER_SECONDS:
            self._records = True
            return Verdict.RECORDS
        if now - self._greets_since >= LONGEST_GREETING_SECONDS:
            self._speaks_on = True
            return Verdict.SPEAKS_ON
        return None

    def reported(self, *, records: bool) -> list[Verdict]:
        """The carrier says that it is a machine; ``records``: and that its greeting is over."""
        verdicts = [self._machine()]
        if records and not self._records:
            self._records = True
            verdicts.append(Verdict.RECORDS)
        return [each for each in verdicts if each is not None]

    def _machine(self) -> Verdict | None:
        if self.is_machine:
            return None
        self.is_machine = True
        return Verdict.MACHINE
