"""Packets that arrive irregularly, exact frames that leave; the decoder is a stand-in."""

import numpy as np
import pytest

from runtime.media.audio.incoming_audio import IncomingAudio
from runtime.media.audio.opus import SAMPLES_PER_FRAME, OpusDecoder, OpusEncoder
from runtime.media.room import Samples

LOUD = 5_000
QUIET = 10
MADE_UP = 4_000


class Levels(OpusDecoder):
    """Decodes a packet ``level:milliseconds:copy`` to a constant of that level. The packet before
    it had the level ``copy``, if that is not zero."""

    def __init__(self) -> None:
        pass

    def samples_in(self, payload: bytes) -> int:
        return 0 if payload == b"garbage" else 48 * int(payload.split(b":")[1])

    def has_copy(self, payload: bytes) -> bool:
        return int(payload.split(b":")[2]) != 0

    def decode(self, payload: bytes) -> Samples | None:
        return np.full(self.samples_in(payload), int(payload.split(b":")[0]), np.int16)

    def recover(self, following: bytes, samples: int) -> Samples | None:
        return np.full(samples, int(following.split(b":")[2]), np.int16)

    def conceal(self, samples: int) -> Samples | None:
        return np.full(samples, MADE_UP, np.int16)


class Sender:
    def __init__(self, audio: IncomingAudio) -> None:
        self.audio = audio
        self.sequence = 0
        self.copies = False
        """Whether each packet has a copy of the one before it."""
        self._before = 0

    def send(self, *levels: int, milliseconds: int = 20) -> None:
        for level in levels:
            copy = self._before if self.copies else 0
            self.audio.receive(self.sequence, f"{level}:{milliseconds}:{copy}".encode())
            self._sent(level)

    def lose(self, level: int = LOUD) -> None:
        self._sent(level)

    def _sent(self, level: int) -> None:
        self.sequence += 1
        self._before = level


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


def test_what_is_missing_is_continued_by_the_decoder_and_fades_to_silence_within_100_ms(
    audio: IncomingAudio, sender: Sender
) -> None:
    sender.send(LOUD)
    audio.read()
    made_up = np.concatenate([audio.read() for _ in range(5)])
    assert np.all(made_up[:SAMPLES_PER_FRAME] == MADE_UP)
    assert made_up[-1] == 0
    assert np.all(np.diff(made_up) <= 0)
    assert np.all(np.diff(made_up) >= -2), "no step"
    assert not audio.read().any()


def test_speech_after_silence_begins_without_a_click(audio: IncomingAudio, sender: Sender) -> None:
    sender.send(LOUD)
    for _ in range(10):
        audio.read()
    sender.send(LOUD)
    frame = audio.read()
    assert frame[0] == 0
    assert np.all(np.abs(np.diff(frame)) < LOUD / 50)
    assert np.all(frame[-800:] == LOUD)


@pytest.mark.parametrize("milliseconds", [10, 20, 40, 60])
def test_a_lost_packet_is_decoded_from_the_copy_in_the_next_one(
    audio: IncomingAudio, sender: Sender, milliseconds: int
) -> None:
    sender.copies = True
    sender.send(LOUD, milliseconds=milliseconds)
    sender.lose(LOUD + 1)
    sender.send(LOUD + 2, LOUD + 3, milliseconds=milliseconds)
    heard = np.concatenate([audio.read() for _ in range(4 * milliseconds // 20)])
    expected = [LOUD, LOUD + 1, LOUD + 2, LOUD + 3]
    assert np.array_equal(heard, np.repeat(expected, 48 * milliseconds))


def test_after_the_first_loss_the_next_packet_is_there_when_one_is_missing(
    audio: IncomingAudio, sender: Sender
) -> None:
    """Nothing waits on a steady line, so the first loss is made up. From the next pause on, a copy
    can be used."""
    sender.copies = True
    sender.send(LOUD)
    audio.read()
    sender.lose()
    assert np.all(audio.read() == MADE_UP)
    for level in [LOUD] * 5 + [QUIET] * 5 + [LOUD] * 5:
        sender.send(level)
        audio.read()
    sender.lose(LOUD + 7)
    heard = [audio.read()]
    for _ in range(3):
        sender.send(LOUD)
        heard.append(audio.read())
    assert [int(frame[0]) for frame in heard] == [LOUD, LOUD + 7, LOUD, LOUD]


def test_without_copies_nothing_waits_after_a_loss(audio: IncomingAudio, sender: Sender) -> None:
    for level in [LOUD] * 5 + [QUIET] * 20:
        sender.send(level)
        audio.read()
        sender.lose()
        audio.read()
    assert audio.waiting_packets == 0


def test_packets_of_10_ms_leave_no_gap_in_a_quiet_moment_with_one_more_waiting(
    audio: IncomingAudio, sender: Sender
) -> None:
    sender.send(QUIET, milliseconds=10)
    heard = []
    for _ in range(100):
        sender.send(QUIET, QUIET, milliseconds=10)
        heard.append(audio.read())
    assert set(np.unique(heard)) == {QUIET}
    assert audio.waiting_packets <= 1


def test_a_lost_packet_of_10_ms_costs_10_ms_and_no_delay(
    audio: IncomingAudio, sender: Sender
) -> None:
    sender.send(LOUD, LOUD, milliseconds=10)
    audio.read()
    sender.send(LOUD, milliseconds=10)
    sender.lose()
    frame = audio.read()
    assert np.array_equal(frame, np.repeat([LOUD, MADE_UP], 480))
    sender.send(LOUD, LOUD, milliseconds=10)
    assert np.all(audio.read() == LOUD)
    assert audio.waiting_packets == 0


def test_the_length_of_packets_may_change(audio: IncomingAudio, sender: Sender) -> None:
    heard = []
    elapsed_ms = sent_ms = 0
    for tick in range(120):
        milliseconds = (20, 60, 10, 40)[tick // 30]
        elapsed_ms += 20
        while sent_ms < elapsed_ms:
            sender.send(LOUD, milliseconds=milliseconds)
            sent_ms += milliseconds
        heard.append(audio.read())
    assert all(np.all(frame == LOUD) for frame in heard)


def test_packets_that_come_out_of_order_are_waited_for_once_that_was_seen(
    audio: IncomingAudio, sender: Sender
) -> None:
    """Each packet is up to 100 ms late, on its own."""
    due: dict[int, list[int]] = {}
    for number in range(600):
        due.setdefault(number + number * 7 % 5, []).append(number)
    heard = []
    for tick in range(600):
        for number in due.get(tick, []):
            level = QUIET if number < 100 else LOUD
            audio.receive(number, f"{level}:20:0".encode())
        heard.append(audio.read())
    assert all(np.all(frame == LOUD) for frame in heard[150:])


def test_a_packet_that_is_no_audio_is_concealed(audio: IncomingAudio, sender: Sender) -> None:
    sender.send(LOUD)
    audio.read()
    audio.receive(sender.sequence, b"garbage")
    assert audio.read()[0] == MADE_UP


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
