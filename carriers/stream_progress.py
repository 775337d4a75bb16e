"""What the media streams of all carriers have in common: one start, one end. Pure."""

from __future__ import annotations

from dataclasses import dataclass, field

from carriers.dialect import (
    DTMF_DIGITS,
    Audio,
    AudioFormat,
    Dtmf,
    Incoming,
    MarkerPlayed,
    Started,
    Stopped,
    StopReason,
    StreamProblem,
)
from carriers.pending_markers import PendingMarkers


@dataclass
class StreamProgress:
    """Each method returns the events to report, so that no order of messages can break the rules of
    ``dialect``."""

    started: Started | None = None
    is_over: bool = False
    unreadable_messages: int = 0
    markers: PendingMarkers = field(default_factory=PendingMarkers)

    @property
    def is_running(self) -> bool:
        return self.started is not None and not self.is_over

    def unreadable(self) -> list[Incoming]:
        self.unreadable_messages += 1
        return []

    def start(self, started: Started) -> list[Incoming]:
        if self.is_over:
            return []
        if self.started is not None:
            return [StreamProblem("the carrier started the stream a second time")]
        self.started = started
        return [started]

    def unsupported(self, format_name: str) -> list[Incoming]:
        """The stream's start names a format that we cannot read."""
        if self.started is not None or self.is_over:
            return []
        self.is_over = True
        return [
            StreamProblem(f"the carrier sends {format_name[:80]!r}"),
            Stopped(StopReason.UNSUPPORTED_FORMAT),
        ]

    def audio(self, payload: bytes | None, timestamp_ms: int | None) -> list[Incoming]:
        if payload is None:
            return self.unreadable()
        if not self.is_running or self.started is None:
            return []
        whole = whole_samples(payload, self.started.incoming)
        return [Audio(whole, timestamp_ms or 0)] if whole else []

    def dtmf(self, digit: str | None) -> list[Incoming]:
        if digit is None or digit.upper() not in DTMF_DIGITS:
            return self.unreadable()
        return [Dtmf(digit.upper())] if self.is_running else []

    def marker(self, wire_name: str | None) -> list[Incoming]:
        name = self.markers.played(wire_name)
        return [MarkerPlayed(name)] if name is not None and self.is_running else []

    def stop(self, reason: StopReason) -> list[Incoming]:
        if self.is_over:
            return []
        self.is_over = True
        return [Stopped(reason)]


def whole_samples(payload: bytes, audio_format: AudioFormat) -> bytes:
    """Without the half of a sample at the end."""
    surplus = len(payload) % audio_format.bytes_per_sample
    return payload[:-surplus] if surplus else payload
