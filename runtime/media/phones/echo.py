"""Takes the agent's own voice out of what comes back from a phone. Pure.

A phone that lets its loudspeaker into its microphone returns the agent's words, 10 to 25 dB quieter
and up to half a second later. An agent that hears them takes them for a caller who interrupts.

What comes is compared with what was sent. Speech of somebody else is never like a stretch of the
agent's sound of the same length, wherever one looks for it. So what is alike is echo, and is taken
out. A caller who speaks at the same time is louder than the echo: then it is not alike, and all of
it is let through.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from runtime.media.room import FRAME_MS, Samples

LONGEST_DELAY_MS = 900
COMPARED_MS = 200
"""Long enough that two voices are never alike by chance."""
_ALIKE = 0.65
"""The correlation from which it is echo, 0 to 1. Networks and loudspeakers change the sound."""
_LOUDEST_GAIN = 0.7
"""An echo is quieter than what was sent. What is louder is somebody who says the same."""
_QUIET_RMS = 20.0
"""Nobody's voice, and no echo that could be taken for one."""
_REST_GAIN = 0.1
"""Of what differs from the sent sound, once it is echo."""


class EchoSuppressor:
    """``sent`` and ``received`` each get one frame of 20 ms per frame of the room, in real time.

    Args:
        sample_hz: of both directions.
    """

    def __init__(self, sample_hz: int) -> None:
        self._frame = sample_hz * FRAME_MS // 1000
        self._compared = sample_hz * COMPARED_MS // 1000
        history = sample_hz * (LONGEST_DELAY_MS + COMPARED_MS) // 1000
        self._sent = np.zeros(history, np.float32)
        self._received = np.zeros(self._compared, np.float32)
        self._fft = 1 << (history + self._compared - 1).bit_length()

    def sent(self, frame: Samples) -> None:
        _append(self._sent, frame)

    def received(self, frame: Samples) -> Samples:
        """What is left of ``frame`` without echo."""
        _append(self._received, frame)
        if _rms(self._received[-self._frame :]) < _QUIET_RMS or not self._sent.any():
            return frame
        alike = self._alike()
        if alike is None:
            return frame
        gain, echo = alike
        rest = (frame.astype(np.float32) - gain * echo) * _REST_GAIN
        quietened: Samples = np.clip(rest, -32_768, 32_767).astype(np.int16)
        return quietened

    def _alike(self) -> tuple[float, NDArray[np.float32]] | None:
        """How loud the echo is, and the sent frame that it is of."""
        products = np.fft.irfft(
            np.fft.rfft(self._sent, self._fft) * np.conj(np.fft.rfft(self._received, self._fft)),
            self._fft,
        )[: self._sent.size - self._compared + 1]
        squares = np.concatenate(([0.0], np.cumsum(self._sent.astype(np.float64) ** 2)))
        energies = squares[self._compared :] - squares[: -self._compared]
        own_energy = float(np.dot(self._received, self._received))
        floor = self._compared * _QUIET_RMS**2
        scores = products / np.sqrt(np.maximum(energies, floor) * own_energy)
        place = int(np.argmax(scores))
        if scores[place] < _ALIKE:
            return None
        gain = float(products[place] / max(energies[place], floor))
        if gain > _LOUDEST_GAIN:
            return None
        end = place + self._compared
        return gain, self._sent[end - self._frame : end]


def _append(samples: NDArray[np.float32], frame: Samples) -> None:
    samples[: -frame.size] = samples[frame.size :]
    samples[-frame.size :] = frame


def _rms(samples: NDArray[np.float32]) -> float:
    return float(np.sqrt(np.dot(samples, samples) / samples.size))
