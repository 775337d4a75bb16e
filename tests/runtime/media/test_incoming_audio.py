"""Packets that arrive irregularly, exact frames that leave; the decoder is a stand-in."""

import numpy as np
import pytest

from runtime.media.incoming_audio import IncomingAudio
from runtime.media.opus import SAMPLES_PER_FRAME, OpusDecoder, OpusEncoder
from runtime.media.room import Samples

LOUD = 5_000
QUIET = 10


class Levels(OpusDecoder):
    """Decodes a packet ``level:milliseconds`` to a constant of that level."""

    def __init__(self) -> None:
        pass

    def decode(self, payload: bytes) -> Samples | None:
        if payload == b"garbage":
            return None
        level, milliseconds = payload.split(b":")
        return np.full(48 * int(milliseconds), int(level), np.int16)


class Sender:
    def __init__(self, audio: IncomingAudio) -> None:
        self.audio = audio
        self.sequence = 0

    def send(self, *levels: int, milliseconds: int = 20) -> None:
        for level in levels:
            self.audio.receive(self.sequence, f"{level}:{milliseconds}".encode())
            self.sequence += 1

    def lose(self) -> None:
        self.sequence += 1


@pytest.fixture
def audio() -> IncomingAudio:
    return IncomingAudio(Levels())


@pytest.fixture
def sender(audio: IncomingAudio) -> Sender:
    return Sender(audio)


def test_a_packet_is_played_in_the_frame_after_it_came(
    audio: IncomingAudio, sender: Sender
) -> None:
    for level in range(1000, 1100):
        sender.send(level)
        frame = audio.read()
        assert frame.shape == (SAMPLES_PER_FRAME,)
        assert set(frame) == {level}


@pytest.mark.parametrize("milliseconds", [10, 20, 40, 60])
def test_frames_are_exact_whatever_the_packets_hold(
    audio: IncomingAudio, sender: Sender, milliseconds: int
) -> None:
    heard = []
    for elapsed in range(0, 600, 20):
        while sender.sequence * milliseconds < elapsed + 20:
            sender.send(LOUD + sender.sequence, milliseconds=milliseconds)
        heard.append(audio.read())
    assert all(frame.shape == (SAMPLES_PER_FRAME,) for frame in heard)
    samples = np.concatenate(heard)
    assert np.all(np.diff(samples) >= 0)
    assert samples[0] == LOUD


def test_silence_before_the_first_packet(audio: IncomingAudio) -> None:
    assert not audio.read().any()


def test_a_missing_frame_fades_out_from_the_last_one_and_is_silent_after(
    audio: IncomingAudio, sender: Sender
) -> None:
    sender.send(LOUD)
    audio.read()
    concealed = audio.read()
    assert concealed[0] == LOUD
    assert concealed[-1] == 0
    assert np.all(np.diff(concealed) <= 0)
    assert not audio.read().any()


def test_a_packet_that_is_no_audio_is_concealed(audio: IncomingAudio, sender: Sender) -> None:
    sender.send(LOUD)
    audio.read()
    audio.receive(sender.sequence, b"garbage")
    assert audio.read()[0] == LOUD


def test_delay_after_a_stall_goes_away_in_the_next_quiet_moment(
    audio: IncomingAudio, sender: Sender
) -> None:
    sender.send(LOUD)
    audio.read()
    for _ in range(4):
        audio.read()
    sender.send(*[LOUD] * 5)
    for _ in range(3):
        audio.read()
        sender.send(LOUD)
    assert audio.waiting_packets == 5
    sender.send(*[QUIET] * 3)
    for _ in range(40):
        audio.read()
        sender.send(QUIET)
    # What was learned from the stall may still wait, no more.
    assert audio.waiting_packets <= 5


def test_a_surplus_that_came_without_lateness_is_skipped_at_once_when_quiet(
    audio: IncomingAudio, sender: Sender
) -> None:
    sender.send(*[QUIET] * 6)
    audio.read()
    assert audio.waiting_packets == 0


def test_a_surplus_shrinks_even_when_somebody_never_stops_talking(
    audio: IncomingAudio, sender: Sender
) -> None:
    sender.send(*[LOUD] * 8)
    for _ in range(500):
        audio.read()
        sender.send(LOUD)
    assert audio.waiting_packets <= 2


def test_speech_is_not_skipped_for_a_small_surplus(audio: IncomingAudio, sender: Sender) -> None:
    sender.send(LOUD, LOUD)
    heard = []
    for level in range(LOUD, LOUD + 200):
        heard.append(int(audio.read()[0]))
        sender.send(level)
    assert heard[2:] == list(range(LOUD, LOUD + 198))


def test_lateness_is_learned_so_that_it_is_heard_once_only(
    audio: IncomingAudio, sender: Sender
) -> None:
    """Every tenth packet comes one frame late: after the first, nothing is missing any more."""
    holes = []
    for frame in range(1, 200):
        if frame % 10 == 1 and frame > 1:
            sender.send(LOUD, LOUD)
        elif frame % 10:
            sender.send(LOUD)
        if not np.all(audio.read() == LOUD):
            holes.append(frame)
    assert holes == [10]


def test_a_lost_packet_costs_one_frame_and_no_delay(audio: IncomingAudio, sender: Sender) -> None:
    sender.send(LOUD)
    audio.read()
    sender.lose()
    audio.read()
    sender.send(LOUD)
    assert np.all(audio.read() == LOUD)
    assert audio.waiting_packets == 0


def test_a_tone_survives_opus_both_ways() -> None:
    encoder, audio = OpusEncoder(), IncomingAudio()
    times = np.arange(SAMPLES_PER_FRAME * 25) / 48_000
    tone = (8_000 * np.sin(2 * np.pi * 440 * times)).astype(np.int16)
    heard = []
    for sequence, frame in enumerate(np.split(tone, 25)):
        audio.receive(sequence, encoder.encode(frame))
        heard.append(audio.read())
    spectrum = np.abs(np.fft.rfft(np.concatenate(heard[5:])))
    assert abs(np.argmax(spectrum) * 48_000 / (20 * SAMPLES_PER_FRAME) - 440) < 5


def test_garbage_does_not_stop_the_real_decoder() -> None:
    encoder, audio = OpusEncoder(), IncomingAudio()
    audio.receive(0, b"\xff" * 7)
    audio.read()
    audio.receive(1, encoder.encode(np.full(SAMPLES_PER_FRAME, LOUD, np.int16)))
    assert audio.read().shape == (SAMPLES_PER_FRAME,)
