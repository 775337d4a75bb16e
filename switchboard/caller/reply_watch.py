"""Detects during a call when the agent becomes audible, and how long that took. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from switchboard.caller.activity import SpeechInterval
from switchboard.caller.measurements import LEFTOVER_SECONDS
from switchboard.caller.speech_queue import SentSpeech

NEW_TURN_SECONDS = 0.5
"""Speech after a shorter silence than this belongs to the same turn."""


@dataclass(frozen=True)
class Onset:
    """Start of a turn of the agent."""

    at: float
    latency_ms: float | None
    """From the connection for the first turn, from the caller's last speech sample for the first
    turn after an utterance, ``None`` for any other turn."""


class ReplyWatch:
    """Reports each onset once."""

    def __init__(self, connected_at: float) -> None:
        self._connected_at = connected_at
        self._seen = 0
        self._answered = 0

    def onset(
        self,
        agent: Sequence[SpeechInterval],
        spoken: Sequence[SentSpeech],
        caller_is_silent: bool,
    ) -> Onset | None:
        """The turn that began since this was last called, if there is one."""
        if len(agent) == self._seen:
            return None
        newest = agent[-1]
        is_first = self._seen == 0
        gap = newest.started_at - agent[-2].ended_at if len(agent) > 1 else NEW_TURN_SECONDS
        self._seen = len(agent)
        if is_first:
            return Onset(newest.started_at, _ms(newest.started_at - self._connected_at))
        answers = caller_is_silent and len(spoken) > self._answered
        if answers:
            self._answered = len(spoken)
            latency = newest.started_at - spoken[-1].last_sample_at
            return Onset(newest.started_at, _ms(latency) if latency >= LEFTOVER_SECONDS else None)
        return Onset(newest.started_at, None) if gap >= NEW_TURN_SECONDS else None


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)
