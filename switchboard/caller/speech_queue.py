"""What the caller says, sample by sample: a queue of prepared lines, cut into frames."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from switchboard.caller.activity import trimmed
from switchboard_client.webrtc.frame import FRAME_SAMPLES, SAMPLE_RATE_HZ, Samples, silence


@dataclass(frozen=True)
class PreparedLine:
    """A line as sound. ``audio`` starts with its first and ends with its last speech sample."""

    text: str
    audio: Samples

    @classmethod
    def of(cls, text: str, audio: Samples) -> PreparedLine:
        """Cut the silence at both ends off.

        Raises:
            ValueError: ``audio`` is silent from end to end.
        """
        speech = trimmed(audio)
        if not speech.size:
            raise ValueError(f"the voice was silent for {text!r}")
        return cls(text, speech)

    @property
    def seconds(self) -> float:
        return self.audio.size / SAMPLE_RATE_HZ


@dataclass(frozen=True)
class SentSpeech:
    """When speech was sent, in seconds on the monotonic clock.

    Sample ``k`` of a frame that was handed to the sender at ``t`` counts as sent at
    ``t + k / 48000``, as a microphone would have delivered it.
    """

    text: str
    first_sample_at: float
    last_sample_at: float


class SpeechQueue:
    """Frames of speech while there is something to say, frames of silence otherwise."""

    def __init__(self) -> None:
        self._waiting: deque[PreparedLine] = deque()
        self._position = 0
        self._first_sample_at: float | None = None
        self.spoken: list[SentSpeech] = []

    def say(self, line: PreparedLine) -> None:
        self._waiting.append(line)

    def clear(self) -> None:
        """Say no more, from the next frame on. A line that is cut off does not count as spoken."""
        self._waiting.clear()
        self._position = 0
        self._first_sample_at = None

    @property
    def is_silent(self) -> bool:
        return not self._waiting

    def next_frame(self, sent_at: float) -> Samples:
        """The 20 ms that are handed to the sender at ``sent_at``; never parts of two lines."""
        if not self._waiting:
            return silence()
        line = self._waiting[0]
        if self._first_sample_at is None:
            self._first_sample_at = sent_at
        chunk = line.audio[self._position : self._position + FRAME_SAMPLES]
        self._position += chunk.size
        if self._position >= line.audio.size:
            last_sample_at = sent_at + chunk.size / SAMPLE_RATE_HZ
            self.spoken.append(SentSpeech(line.text, self._first_sample_at, last_sample_at))
            self._waiting.popleft()
            self._position = 0
            self._first_sample_at = None
        frame = silence()
        frame[: chunk.size] = chunk
        return frame
