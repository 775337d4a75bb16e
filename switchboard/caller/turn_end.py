"""Detects by silence on the waveform that the other side has finished its turn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from switchboard.caller.activity import SPEECH_RMS, WINDOW_SECONDS, active_windows
from switchboard_client.webrtc.frame import FRAME_SECONDS, Samples

END_OF_TURN_SECONDS = 0.65
"""Longer than the pauses between the sentences of one turn."""
_LEAD_IN_FRAMES = 5
"""Kept from before the first speech, because a recogniser misses words that start at sample 0."""


@dataclass(frozen=True)
class HeardTurn:
    """One turn of the agent as the caller received it."""

    audio: Samples
    started_at: float
    """First speech sample received, seconds on the monotonic clock."""
    ended_at: float
    """Last speech sample received."""


class TurnEndDetector:
    """Cuts the received audio into turns. Needs every frame, also the silent ones."""

    def __init__(
        self,
        end_of_turn_seconds: float = END_OF_TURN_SECONDS,
        threshold_rms: float = SPEECH_RMS,
    ) -> None:
        self._end_of_turn_seconds = end_of_turn_seconds
        self._threshold_rms = threshold_rms
        self._frames: list[Samples] = []
        self._started_at: float | None = None
        self._ended_at = 0.0

    @property
    def speaking_since(self) -> float | None:
        """Start of the current turn, or ``None`` between turns."""
        return self._started_at

    def audio_so_far(self) -> Samples:
        """The audio of the current turn."""
        return np.concatenate(self._frames)

    def push(self, frame: Samples, received_at: float) -> HeardTurn | None:
        """Returns the turn that the silence of this frame completes, if there is one."""
        self._frames.append(frame)
        active = [
            index
            for index, is_active in enumerate(active_windows(frame, self._threshold_rms))
            if is_active
        ]
        if active:
            if self._started_at is None:
                self._started_at = received_at + active[0] * WINDOW_SECONDS
            self._ended_at = received_at + (active[-1] + 1) * WINDOW_SECONDS
            return None
        if self._started_at is None:
            del self._frames[:-_LEAD_IN_FRAMES]
            return None
        if received_at + FRAME_SECONDS - self._ended_at < self._end_of_turn_seconds:
            return None
        return self.finish()

    def finish(self) -> HeardTurn | None:
        """Ends the current turn, if there is one, because no more audio will come."""
        if self._started_at is None:
            return None
        turn = HeardTurn(np.concatenate(self._frames), self._started_at, self._ended_at)
        self._frames = []
        self._started_at = None
        return turn
