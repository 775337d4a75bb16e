"""One part of a recording as a FLAC file: stereo, people on the left, the agent on the right."""

from __future__ import annotations

from io import BytesIO

import av
import numpy as np
from av.audio.stream import AudioStream

from contracts.recording import SAMPLE_HZ
from runtime.media.audio.opus import SAMPLE_HZ as ROOM_HZ
from runtime.media.audio.opus import SAMPLES_PER_FRAME
from runtime.media.audio.resampling import Resampler
from runtime.media.room import FRAME_MS
from runtime.recording.part_cutter import Part

_FRAME_SAMPLES = SAMPLE_HZ * FRAME_MS // 1000
_SILENCE = np.zeros(SAMPLES_PER_FRAME, np.int16)
_ENCODED_AT_ONCE = 10
"""Frames. Encoding holds the interpreter's lock, and rooms wait for it."""


class PartEncoder:
    """Encodes the parts of one recording, in order. Each takes about 10 ms, so use a thread."""

    def __init__(self) -> None:
        self._resampler = Resampler(ROOM_HZ, SAMPLE_HZ)

    def encode(self, part: Part) -> bytes:
        stereo = np.zeros((len(part.people) * _FRAME_SAMPLES, 2), np.int16)
        for index, (people, agent) in enumerate(zip(part.people, part.agent, strict=True)):
            frame = stereo[index * _FRAME_SAMPLES : (index + 1) * _FRAME_SAMPLES]
            frame[:, 0] = self._resampler.convert(_SILENCE if people is None else people)
            if agent is not None:
                frame[:, 1] = agent
        return _flac(stereo)


def _flac(stereo: np.ndarray[tuple[int, int], np.dtype[np.int16]]) -> bytes:
    file = BytesIO()
    with av.open(file, "w", format="flac") as container:
        stream = container.add_stream("flac", rate=SAMPLE_HZ, layout="stereo")
        assert isinstance(stream, AudioStream)
        stream.format = "s16"
        step = _FRAME_SAMPLES * _ENCODED_AT_ONCE
        for start in range(0, len(stereo), step):
            samples = np.ascontiguousarray(stereo[start : start + step]).reshape(1, -1)
            frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="stereo")
            frame.sample_rate = SAMPLE_HZ
            frame.pts = start
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return file.getvalue()
