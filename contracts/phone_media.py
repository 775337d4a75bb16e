"""Telephony bridge ↔ media worker: the media of one phone leg, over one websocket.

The bridge opens the websocket at the worker's ``media_address`` (``contracts.heartbeat``), under
``leg_path``, with the header ``Authorization: Bearer`` and the token of ``leg_token``. A worker
answers 401 to another token, 404 if it does not run the call, and 409 while the participant has
another websocket. The protocol is named by ``SUBPROTOCOL``.

The bridge first sends ``LegOpened``. From then on, both sides send:

- binary messages: one audio frame of ``FRAME_MS`` each. Eight bytes, big-endian: the kind (1, one
  byte), whether the worker wants to know when it is played (1 or 0, one byte), the sequence (two)
  and the timestamp (four); then the samples as ``LegOpened`` says: ``mulaw`` (G.711, one byte a
  sample) or ``l16`` (signed 16 bits, little-endian). A frame of another length or kind is dropped.
- text messages: one JSON document each, at most ``MOST_CONTROL_BYTES``. ``FromBridge`` and
  ``FromWorker`` list them. What cannot be read is logged and dropped.

A leg that is over ends with a document: ``LegClosed`` from the bridge, because the carrier's side
is over, or ``HangUp`` from the worker. A websocket that closes without one has lost its process:
the worker takes the participant for interrupted, the bridge tells the caller and hangs up.
"""

from __future__ import annotations

import hmac
import re
import struct
from typing import Annotated, Literal, NamedTuple
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field

FRAME_MS = 20
SUBPROTOCOL = "switchboard.phone-media.v1"
MOST_CONTROL_BYTES = 4_096
LARGEST_MESSAGE_BYTES = 4_096
"""Of a text or binary message. The largest frame, of 24 kHz L16, has 968 bytes."""
MOST_DTMF_DIGITS = 64
"""In one message."""

_FROZEN = ConfigDict(frozen=True, extra="forbid")
_HEADER = struct.Struct("!BBHI")
_AUDIO = 1
_PATH = re.compile(r"/calls/([0-9a-f-]{36})/legs/([0-9a-f-]{36})/([0-9a-f-]{36})", re.ASCII)

Encoding = Literal["mulaw", "l16"]
SampleHz = Literal[8_000, 16_000, 24_000]
Digits = Annotated[str, Field(min_length=1, max_length=MOST_DTMF_DIGITS, pattern=r"^[0-9A-D*#]+$")]
"""Of a keypad: 0 to 9, A to D, ``*`` and ``#``."""


class LegAddress(NamedTuple):
    """Which leg a websocket carries. ``attempt_id`` tells an attempt to reach the participant from
    an earlier one; of an inbound call there is one."""

    call_id: UUID
    participant_id: UUID
    attempt_id: UUID


def leg_path(leg: LegAddress) -> str:
    return f"/calls/{leg.call_id}/legs/{leg.participant_id}/{leg.attempt_id}"


def read_leg_path(path: str) -> LegAddress | None:
    """``None`` if ``path`` is not one of ``leg_path``."""
    match = _PATH.fullmatch(path)
    if match is None:
        return None
    try:
        return LegAddress(*(UUID(part) for part in match.groups()))
    except ValueError:
        return None


def leg_token(worker_secret: str, leg: LegAddress) -> str:
    """What opens the websocket of one leg.

    Args:
        worker_secret: of ``redis_names.worker_media_secret``.
    """
    return hmac.new(worker_secret.encode(), leg_path(leg).encode(), "sha256").hexdigest()


class FrameHeader(NamedTuple):
    """``sequence`` counts frames modulo 2**16, ``timestamp_ms`` milliseconds modulo 2**32.

    A frame that ``is_marked`` is answered with ``FramePlayed``, if the carrier reports it. Only the
    worker marks frames. A bridge that does not know marks yet takes them for ordinary frames.
    """

    sequence: int
    timestamp_ms: int
    is_marked: bool = False


def write_frame(header: FrameHeader, samples: bytes) -> bytes:
    fields = (header.is_marked, header.sequence % 0x10000, header.timestamp_ms % 2**32)
    return _HEADER.pack(_AUDIO, *fields) + samples


def read_frame(message: bytes, frame_bytes: int) -> tuple[FrameHeader, bytes] | None:
    """The header and the samples; ``None`` if it is no audio frame of ``frame_bytes``."""
    if len(message) != _HEADER.size + frame_bytes or message[0] != _AUDIO:
        return None
    _, mark, sequence, timestamp_ms = _HEADER.unpack_from(message)
    return FrameHeader(sequence, timestamp_ms, bool(mark)), message[_HEADER.size :]


class LegFormat(BaseModel):
    """How samples are written: mono."""

    model_config = _FROZEN
    encoding: Encoding
    sample_hz: SampleHz

    @property
    def frame_samples(self) -> int:
        return self.sample_hz * FRAME_MS // 1000

    @property
    def frame_bytes(self) -> int:
        return self.frame_samples * (1 if self.encoding == "mulaw" else 2)


class LegOpened(BaseModel):
    """The carrier's media is connected. Both sides send frames from now on, each in the format that
    is named for its direction."""

    model_config = _FROZEN
    type: Literal["leg.opened"] = "leg.opened"
    from_person: LegFormat
    to_person: LegFormat
    direction: Literal["inbound", "outbound"]
    carrier: Annotated[str, Field(max_length=40)]
    from_number: Annotated[str, Field(max_length=40)]
    to_number: Annotated[str, Field(max_length=40)]


class DtmfReceived(BaseModel):
    """Keys that the person has pressed."""

    model_config = _FROZEN
    type: Literal["dtmf.received"] = "dtmf.received"
    digits: Digits


class FramePlayed(BaseModel):
    """The phone has played a marked frame, and all before it. None comes for a frame that a
    ``Flush`` has dropped."""

    model_config = _FROZEN
    type: Literal["frame.played"] = "frame.played"
    sequence: Annotated[int, Field(ge=0, lt=0x10000)]


class LegClosed(BaseModel):
    """The carrier's side is over. ``hung_up``: the person, or the carrier on the person's behalf.
    ``lost``: the carrier's connection broke."""

    model_config = _FROZEN
    type: Literal["leg.closed"] = "leg.closed"
    cause: Literal["hung_up", "lost"]
    detail: Annotated[str, Field(max_length=200)] | None = None


class Flush(BaseModel):
    """Drop every frame that was sent and is not played yet."""

    model_config = _FROZEN
    type: Literal["flush"] = "flush"


class SendDtmf(BaseModel):
    """Press keys towards the person's side."""

    model_config = _FROZEN
    type: Literal["dtmf.send"] = "dtmf.send"
    digits: Digits


class HangUp(BaseModel):
    """End the leg at the carrier."""

    model_config = _FROZEN
    type: Literal["leg.hang_up"] = "leg.hang_up"


FromBridge = LegOpened | DtmfReceived | FramePlayed | LegClosed
FromWorker = Flush | SendDtmf | HangUp


class BridgeMessage(BaseModel):
    """One text message of the bridge."""

    model_config = _FROZEN
    version: Literal[1] = 1
    body: Annotated[FromBridge, Field(discriminator="type")]


class WorkerMessage(BaseModel):
    """One text message of the worker."""

    model_config = _FROZEN
    version: Literal[1] = 1
    body: Annotated[FromWorker, Field(discriminator="type")]
