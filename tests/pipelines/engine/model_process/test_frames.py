"""A frame's form and its limits."""

from __future__ import annotations

import asyncio
import struct

import pytest

from pipelines.engine.model_process.frames import (
    LONGEST_HEADER_BYTES,
    LONGEST_SOUND_BYTES,
    BadFrame,
    Frame,
    encoded,
    read_frame,
)


def received(*chunks: bytes) -> asyncio.StreamReader:
    reader = asyncio.StreamReader()
    for chunk in chunks:
        reader.feed_data(chunk)
    reader.feed_eof()
    return reader


async def test_frames_come_back_one_after_the_other_as_they_were_sent() -> None:
    frames = [Frame(b"{}"), Frame(b'{"id": 1}', b"\x01\x02\x03\x04"), Frame(b"[]")]
    reader = received(*map(encoded, frames))
    assert [await read_frame(reader) for _ in frames] == frames
    assert await read_frame(reader) is None


async def test_a_frame_is_two_lengths_a_header_and_sound() -> None:
    assert encoded(Frame(b"{}", b"ab")) == bytes([0, 0, 0, 2, 0, 0, 0, 2]) + b"{}ab"


@pytest.mark.parametrize("length", [1, 7, 9, 12])
async def test_a_frame_that_was_cut_is_a_lost_connection(length: int) -> None:
    with pytest.raises(ConnectionError):
        await read_frame(received(encoded(Frame(b"{}", b"abcd"))[:length]))


@pytest.mark.parametrize(
    ("header_bytes", "sound_bytes"),
    [(0, 0), (LONGEST_HEADER_BYTES + 1, 0), (2, LONGEST_SOUND_BYTES + 2), (2, 3), (2**32 - 1, 0)],
)
async def test_lengths_beyond_the_limits_are_refused_before_anything_is_read(
    header_bytes: int, sound_bytes: int
) -> None:
    with pytest.raises(BadFrame):
        await read_frame(received(struct.pack("!II", header_bytes, sound_bytes)))


@pytest.mark.parametrize(
    "frame", [Frame(b""), Frame(bytes(LONGEST_HEADER_BYTES + 1)), Frame(b"{}", b"abc")]
)
def test_nobody_sends_what_the_other_would_refuse(frame: Frame) -> None:
    with pytest.raises(BadFrame):
        encoded(frame)
