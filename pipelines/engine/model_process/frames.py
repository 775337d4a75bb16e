"""How messages to and from the model process stand on the wire.

A frame begins with two lengths in bytes, that of its header and that of its sound, each a
big-endian number of four bytes. Then come the header, one JSON object in UTF-8 (``messages``), and
the sound, mono 16-bit little-endian PCM. Both lengths have a limit.
"""

from __future__ import annotations

import asyncio
import struct
from typing import NamedTuple

LONGEST_HEADER_BYTES = 32 * 1024
LONGEST_SOUND_BYTES = 16 * 1024 * 1024
"""Eight minutes for the recogniser, and five of the voices."""
_LENGTHS = struct.Struct("!II")
_SAMPLE_BYTES = 2


class BadFrame(ValueError):
    """What a peer sent is no frame, or no message. Its connection cannot go on."""


class Frame(NamedTuple):
    header: bytes
    sound: bytes = b""


def encoded(frame: Frame) -> bytes:
    """Raises ``BadFrame`` for what no peer would read."""
    _check(len(frame.header), len(frame.sound))
    return b"".join((_LENGTHS.pack(len(frame.header), len(frame.sound)), *frame))


async def read_frame(reader: asyncio.StreamReader) -> Frame | None:
    """``None`` at the end of the stream. Raises ``BadFrame`` and ``ConnectionError``."""
    try:
        header_bytes, sound_bytes = _LENGTHS.unpack(await reader.readexactly(_LENGTHS.size))
        _check(header_bytes, sound_bytes)
        return Frame(await reader.readexactly(header_bytes), await reader.readexactly(sound_bytes))
    except asyncio.IncompleteReadError as cut:
        # A process that was killed leaves part of a frame. That is no other than a lost connection.
        if cut.partial:
            raise ConnectionResetError("the connection ended within a frame") from cut
        return None


def _check(header_bytes: int, sound_bytes: int) -> None:
    if not 0 < header_bytes <= LONGEST_HEADER_BYTES:
        raise BadFrame(f"a header of {header_bytes} bytes")
    if sound_bytes > LONGEST_SOUND_BYTES or sound_bytes % _SAMPLE_BYTES:
        raise BadFrame(f"{sound_bytes} bytes of sound")
