"""Writes the files of a recording while its parts are read, one part at a time.

Blocking: for a thread. Memory does not grow with the length of the call. The files are written to
disk first, because the header of a WAV file holds its length.
"""

from __future__ import annotations

import wave
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from io import BytesIO
from typing import IO

import av
import numpy as np
from av.audio.stream import AudioStream
from numpy.typing import NDArray

from contracts.recording import CHANNELS, SAMPLE_HZ

Stereo = NDArray[np.int16]
"""Shape ``(samples, CHANNELS)``, at ``SAMPLE_HZ``."""

OPUS_BITS_PER_SECOND = 64_000
"""Enough for two unrelated voices. At lower rates the codec leaks each voice into the other's
channel."""
_SILENCE_AT_ONCE = SAMPLE_HZ


class PartUnreadable(Exception):
    """A part is not the FLAC file that it should be."""


def decoded(part: bytes) -> Stereo:
    """The samples of one part.

    Raises:
        PartUnreadable: it is not stereo FLAC at ``SAMPLE_HZ``.
    """
    try:
        with av.open(BytesIO(part), "r") as container:
            (stream,) = container.streams.audio
            if (stream.rate, stream.channels, stream.format.name) != (SAMPLE_HZ, CHANNELS, "s16"):
                raise PartUnreadable(f"{stream.rate} Hz, {stream.channels} channels")
            frames = [frame.to_ndarray() for frame in container.decode(stream)]
    except (av.FFmpegError, ValueError) as error:
        raise PartUnreadable(str(error)) from error
    if not frames:
        raise PartUnreadable("no audio in it")
    return np.concatenate(frames, axis=1).reshape(-1, CHANNELS).astype(np.int16, copy=False)


def with_silence(parts: Iterable[tuple[int, Stereo]], duration_ms: int) -> Iterator[Stereo]:
    """The whole recording in pieces, with silence between the parts and at the end.

    Args:
        parts: in order, each with its start in ms.
        duration_ms: how long the recording lasts at least.
    """
    position = 0
    for starts_at_ms, samples in parts:
        start = starts_at_ms * SAMPLE_HZ // 1000
        yield from _silence(start - position)
        position = max(position, start)
        yield samples[position - start :]
        position = max(position, start + len(samples))
    yield from _silence(duration_ms * SAMPLE_HZ // 1000 - position)


def _silence(samples: int) -> Iterator[Stereo]:
    while samples > 0:
        now = min(samples, _SILENCE_AT_ONCE)
        yield np.zeros((now, CHANNELS), np.int16)
        samples -= now


def write_files(pieces: Iterable[Stereo], wav: IO[bytes], ogg: IO[bytes]) -> int:
    """Write the audio as WAV and as Opus in OGG. Returns its length in ms."""
    samples = 0
    with ExitStack() as stack:
        wav_file = stack.enter_context(wave.open(wav, "wb"))
        wav_file.setnchannels(CHANNELS)
        wav_file.setsampwidth(2)
        wav_file.setframerate(SAMPLE_HZ)
        container = stack.enter_context(av.open(ogg, "w", format="ogg"))
        stream = container.add_stream("libopus", rate=SAMPLE_HZ, layout="stereo")
        assert isinstance(stream, AudioStream)
        stream.bit_rate = OPUS_BITS_PER_SECOND
        for piece in pieces:
            wav_file.writeframesraw(piece.tobytes())
            frame = av.AudioFrame.from_ndarray(
                np.ascontiguousarray(piece).reshape(1, -1), format="s16", layout="stereo"
            )
            frame.sample_rate = SAMPLE_HZ
            frame.pts = samples
            container.mux(stream.encode(frame))
            samples += len(piece)
        container.mux(stream.encode(None))
    return samples * 1000 // SAMPLE_HZ
