"""The sentences that a bridge says itself: why a call is not taken, and that it has to end.

They are files beside this module, recorded with a voice that comes with Switchboard
(``python -m switchboard.phone_sentences`` records them again): WAV, 16 bits, 8 kHz, mono.
"""

from __future__ import annotations

import wave
from array import array
from enum import StrEnum
from functools import cache
from pathlib import Path

from carriers.mulaw import to_mulaw
from contracts.phone_media import LegFormat

RECORDED_HZ = 8_000
_FOLDER = Path(__file__).parent / "recordings"


class Sentence(StrEnum):
    """The names of the files."""

    NOT_IN_SERVICE = "not_in_service"
    NOBODY_ANSWERS = "nobody_answers"
    LINES_BUSY = "lines_busy"
    NOT_NOW = "not_now"
    FAULT = "fault"


TEXTS: dict[Sentence, str] = {
    Sentence.NOT_IN_SERVICE: "This number is not in service. Goodbye.",
    Sentence.NOBODY_ANSWERS: "Nobody can answer this number at the moment. Goodbye.",
    Sentence.LINES_BUSY: "All our lines are busy. Please call again in a few minutes. Goodbye.",
    Sentence.NOT_NOW: "We cannot take your call right now. Please try again later. Goodbye.",
    Sentence.FAULT: (
        "I am sorry, there is a technical problem, and I have to end this call. "
        "Please call again. Goodbye."
    ),
}


def recording_path(sentence: Sentence) -> Path:
    return _FOLDER / f"{sentence.value}.wav"


@cache
def wav_file(sentence: Sentence) -> bytes:
    """As carriers fetch it."""
    return recording_path(sentence).read_bytes()


@cache
def sentence_frames(sentence: Sentence, leg_format: LegFormat) -> tuple[bytes, ...]:
    """Frames of 20 ms in a leg's format; the last one is filled up with silence."""
    samples = _repeated(_recorded(sentence), leg_format.sample_hz // RECORDED_HZ)
    samples.extend([0] * (-len(samples) % leg_format.frame_samples))
    if leg_format.encoding == "mulaw":
        sound = bytes(to_mulaw(sample) for sample in samples)
    else:
        sound = b"".join(sample.to_bytes(2, "little", signed=True) for sample in samples)
    size = leg_format.frame_bytes
    return tuple(sound[begin : begin + size] for begin in range(0, len(sound), size))


def _recorded(sentence: Sentence) -> array[int]:
    with wave.open(str(recording_path(sentence)), "rb") as recording:
        samples = array("h")
        samples.frombytes(recording.readframes(recording.getnframes()))
    if array("H", [1]).tobytes()[0] == 0:
        samples.byteswap()
    return samples


def _repeated(samples: array[int], times: int) -> array[int]:
    """At ``times`` the rate, with straight lines between the samples."""
    if times == 1:
        return samples
    wide = array("h")
    for here, following in zip(samples, [*samples[1:], 0], strict=True):
        wide.extend(here + (following - here) * step // times for step in range(times))
    return wide
