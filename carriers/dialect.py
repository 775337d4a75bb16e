"""One dialect for the media streams of all carriers.

Sound is never recoded here: a carrier's payload goes on in the format that ``Started`` names,
µ-law or 16-bit linear PCM in little-endian order, mono.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

FRAME_MS = 20
DTMF_DIGITS = frozenset("0123456789*#ABCD")


class Encoding(StrEnum):
    MULAW = "mulaw"
    """G.711 µ-law, one byte a sample."""
    L16 = "l16"
    """Signed 16 bits, little-endian."""


@dataclass(frozen=True)
class AudioFormat:
    encoding: Encoding
    sample_rate: int

    @property
    def bytes_per_sample(self) -> int:
        return 1 if self.encoding is Encoding.MULAW else 2

    @property
    def frame_bytes(self) -> int:
        """Of 20 ms."""
        return self.sample_rate * FRAME_MS // 1000 * self.bytes_per_sample

    @property
    def silence(self) -> bytes:
        """One sample."""
        return b"\xff" if self.encoding is Encoding.MULAW else b"\x00\x00"

    def duration_ms(self, payload_bytes: int) -> int:
        return payload_bytes * 1000 // (self.sample_rate * self.bytes_per_sample)


MULAW_8000 = AudioFormat(Encoding.MULAW, 8000)
L16_8000 = AudioFormat(Encoding.L16, 8000)
L16_16000 = AudioFormat(Encoding.L16, 16000)


@dataclass(frozen=True)
class Started:
    """The first event of a stream, and never a second time.

    ``token`` is what the answer gave the stream to prove itself with. It is ``None`` where the
    carrier brings it in the upgrade request (``signed_request.UpgradeProof``). Numbers are as the
    carrier wrote them, and ``None`` where its stream does not name them.
    """

    call_id: str
    """The carrier's id of the call. Empty where its stream does not name it (Vonage)."""
    stream_id: str
    token: str | None
    incoming: AudioFormat
    outgoing: AudioFormat
    from_number: str | None = None
    to_number: str | None = None
    parameters: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Audio:
    """Of any whole number of samples, usually 20 ms.

    ``timestamp_ms`` counts from the start of the stream. Outgoing sound needs none.
    """

    payload: bytes = field(repr=False)
    timestamp_ms: int = 0


@dataclass(frozen=True)
class Dtmf:
    """A key was pressed: one of ``DTMF_DIGITS``."""

    digit: str


@dataclass(frozen=True)
class MarkerPlayed:
    """Everything that was sent before the marker was played to the phone.

    A marker that a ``Flush`` has dropped never comes back, whatever its carrier does.
    """

    name: str


@dataclass(frozen=True)
class StreamProblem:
    """The carrier has complained, or has said what it must not. The stream goes on."""

    detail: str


class StopReason(StrEnum):
    STOPPED = "stopped"
    """The carrier has said so: the call is over, or has left the stream."""
    CLOSED = "closed"
    """The websocket was closed without a word."""
    UNSUPPORTED_FORMAT = "unsupported_format"
    """The stream carries sound in a format that we did not ask for and cannot read."""


@dataclass(frozen=True)
class Stopped:
    """The last event of a stream, and never a second time."""

    reason: StopReason


Incoming = Started | Audio | Dtmf | MarkerPlayed | StreamProblem | Stopped


@dataclass(frozen=True)
class Marker:
    """Ask for ``MarkerPlayed`` when all sound so far was played. A name may be used again."""

    name: str


@dataclass(frozen=True)
class Flush:
    """Drop what was sent and not yet played."""


@dataclass(frozen=True)
class HangUp:
    """End the call. No stream can say it, so that ``CarrierApi.hang_up`` has to."""


Outgoing = Audio | Marker | Flush | HangUp


class MediaStream(Protocol):
    """One media websocket of a carrier, without the socket: messages in, messages out.

    Give it every message in order, then ``closed()``. Nothing that a carrier sends raises. What is
    unknown, malformed or empty is ignored, and counted in ``unreadable_messages`` if it cannot be
    understood.
    """

    @property
    def unreadable_messages(self) -> int: ...

    def receive(self, message: str | bytes) -> list[Incoming]:
        """What one message of the carrier means. Nothing follows ``Stopped``."""
        ...

    def closed(self) -> list[Incoming]:
        """The websocket was closed, by whichever side. Ends with ``Stopped`` unless it was said."""
        ...

    def send(self, message: Outgoing) -> list[str | bytes]:
        """The carrier's messages for ``message``: text is ``str``, binary is ``bytes``.

        Empty before ``Started`` and after ``Stopped``, and for ``HangUp``.
        """
        ...
