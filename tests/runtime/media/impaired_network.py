"""Speech through a network that loses and delays packets, as the agent's recogniser gets it.

The sender is what browsers are: Opus for speech, with copies of lost frames once loss is reported.
The receiver is the product's. Time is simulated, so a minute of speech takes a second.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from runtime.media.audio.incoming_audio import IncomingAudio
from runtime.media.audio.opus import SAMPLE_HZ, OpusEncoder
from runtime.media.room import FRAME_MS, Samples

LEAD_IN_SECONDS = 1.0
PAUSE_SECONDS = 0.8
"""Between two sentences. The delay of the worst network is shorter than half of it."""
NOISE_RMS = 30.0
"""A quiet room."""


@dataclass(frozen=True)
class Network:
    loss: float = 0.0
    """The share of packets that never arrive, each on its own."""
    jitter_ms: int = 0
    """Each packet is late by a time of its own, up to this."""
    packet_ms: int = 20


@dataclass(frozen=True)
class Sentence:
    text: str
    audio: Samples


def received(sentences: Sequence[Sentence], network: Network, seed: int) -> list[Samples]:
    """Each sentence as it is heard at the other end, with a part of the pauses around it."""
    dice = np.random.default_rng(seed)
    heard = _received_stream(_stream(sentences, dice), network, dice)
    cut: list[Samples] = []
    at = int(LEAD_IN_SECONDS * SAMPLE_HZ)
    half_pause = int(PAUSE_SECONDS / 2 * SAMPLE_HZ)
    for sentence in sentences:
        end = at + sentence.audio.size
        # What is delayed ends later, and begins later too.
        cut.append(heard[at - half_pause // 2 : end + half_pause * 3 // 2])
        at = end + 2 * half_pause
    return cut


def _stream(sentences: Sequence[Sentence], dice: np.random.Generator) -> Samples:
    def noise(seconds: float) -> Samples:
        return dice.normal(0, NOISE_RMS, int(seconds * SAMPLE_HZ)).astype(np.int16)

    parts = [noise(LEAD_IN_SECONDS)]
    for sentence in sentences:
        parts += [sentence.audio, noise(PAUSE_SECONDS)]
    return np.concatenate(parts)


def _received_stream(sound: Samples, network: Network, dice: np.random.Generator) -> Samples:
    packet_samples = network.packet_ms * SAMPLE_HZ // 1000
    count = sound.size // packet_samples
    encoder = OpusEncoder()
    encoder.expect_loss(network.loss * 100)
    payloads = [encoder.encode(part) for part in np.split(sound[: count * packet_samples], count)]
    is_lost = dice.random(count) < network.loss
    sent_ms = np.arange(1, count + 1) * network.packet_ms
    arrival_ms = sent_ms + dice.integers(0, network.jitter_ms + 1, count)
    order = [int(number) for number in np.argsort(arrival_ms, kind="stable")]
    audio, frames = IncomingAudio(), []
    for tick_ms in range(FRAME_MS, count * network.packet_ms + 500, FRAME_MS):
        while order and arrival_ms[order[0]] <= tick_ms:
            number = order.pop(0)
            if not is_lost[number]:
                audio.receive(number % 0x10000, payloads[number])
        frames.append(audio.read())
    return np.concatenate(frames)


def word_errors(said: str, recognised: str) -> tuple[int, int]:
    """Words that were substituted, left out or added, and words that were said."""
    reference, hypothesis = _words(said), _words(recognised)
    row = list(range(len(hypothesis) + 1))
    for position, word in enumerate(reference, 1):
        diagonal, row[0] = row[0], position
        for column, other in enumerate(hypothesis, 1):
            diagonal, row[column] = (
                row[column],
                min(row[column] + 1, row[column - 1] + 1, diagonal + (word != other)),
            )
    return row[-1], len(reference)


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9']+", text.lower())
