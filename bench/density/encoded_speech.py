"""Speech that is encoded before the run, so that a caller only sends it."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle

import numpy as np
from av import AudioFrame, CodecContext

from switchboard.caller.speech_queue import PreparedLine, SentSpeech
from switchboard_client.webrtc.frame import FRAME_SAMPLES, FRAME_SECONDS, SAMPLE_RATE_HZ, Samples

_LIKE_BROWSERS = {"application": "voip", "compression_level": "5", "fec": "1", "packet_loss": "20"}
_LOOK_AHEAD_FRAMES = 1
"""The encoder's delay of 6.5 ms moves the end of a line into one more packet."""
_NOISE_FRAMES = 100
_NOISE_PEAK = 10


@dataclass(frozen=True)
class EncodedLine:
    text: str
    packets: Sequence[bytes]
    """Of 20 ms each."""
    samples: int
    """Of the speech itself: the last packets hold less than 20 ms of it."""


def encoded_line(line: PreparedLine) -> EncodedLine:
    frames = -(-line.audio.size // FRAME_SAMPLES) + _LOOK_AHEAD_FRAMES
    whole = np.zeros(frames * FRAME_SAMPLES, np.int16)
    whole[: line.audio.size] = line.audio
    return EncodedLine(line.text, _packets(whole), line.audio.size)


def encoded_noise() -> list[bytes]:
    """A room is never quite silent, and silence would cost less."""
    samples = np.random.default_rng(0).integers(
        -_NOISE_PEAK, _NOISE_PEAK + 1, _NOISE_FRAMES * FRAME_SAMPLES
    )
    return _packets(samples.astype(np.int16))


class EncodedSpeech:
    """Packets of speech while there is something to say, packets of noise otherwise."""

    def __init__(self, noise: Sequence[bytes]) -> None:
        self._noise = cycle(noise)
        self._rest: deque[bytes] = deque()
        self._line: EncodedLine | None = None
        self._began_at = 0.0
        self.spoken: list[SentSpeech] = []
        """A line is added with its last sample."""

    def say(self, line: EncodedLine, now: float) -> None:
        """From the next packet on, which is due at ``now``."""
        self._line, self._rest, self._began_at = line, deque(line.packets), now

    @property
    def is_silent(self) -> bool:
        return self._line is None

    @property
    def rest_seconds(self) -> float:
        return len(self._rest) * FRAME_SECONDS

    def next_packet(self, sent_at: float) -> bytes:
        """The packet that is handed to the sender at ``sent_at``."""
        line = self._line
        if line is None:
            return self._rest.popleft() if self._rest else next(self._noise)
        packet = self._rest.popleft()
        if len(self._rest) == _LOOK_AHEAD_FRAMES:
            in_last_frame = (line.samples - 1) % FRAME_SAMPLES + 1
            last_sample_at = sent_at + in_last_frame / SAMPLE_RATE_HZ
            self.spoken.append(SentSpeech(line.text, self._began_at, last_sample_at))
            self._line = None
        return packet


def _packets(samples: Samples) -> list[bytes]:
    encoder = CodecContext.create("libopus", "w")
    encoder.format = "s16"
    encoder.layout = "mono"
    encoder.sample_rate = SAMPLE_RATE_HZ
    encoder.bit_rate = 48_000
    encoder.options = dict(_LIKE_BROWSERS)
    return [bytes(packet) for frame in _frames(samples) for packet in encoder.encode(frame)]


def _frames(samples: Samples) -> Iterator[AudioFrame]:
    for number, samples_of_frame in enumerate(samples.reshape(-1, FRAME_SAMPLES)):
        frame = AudioFrame.from_ndarray(
            samples_of_frame.reshape(1, -1), format="s16", layout="mono"
        )
        frame.sample_rate = SAMPLE_RATE_HZ
        frame.pts = number * FRAME_SAMPLES
        yield frame
