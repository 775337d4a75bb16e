"""The real codec: what is lost is decoded from copies, or continued."""

from __future__ import annotations

import numpy as np
import pytest

from runtime.media.audio.opus import SAMPLE_HZ, SAMPLES_PER_FRAME, OpusDecoder, OpusEncoder
from runtime.media.room import Samples

FRAMES = 100
SILENCE = np.zeros(SAMPLES_PER_FRAME, np.int16)


def voice_like(frames: int = FRAMES) -> Samples:
    """A glide with harmonics and syllables, which Opus codes as speech."""
    times = np.arange(frames * SAMPLES_PER_FRAME) / SAMPLE_HZ
    phase = 2 * np.pi * np.cumsum(140 + 40 * np.sin(2 * np.pi * 0.7 * times)) / SAMPLE_HZ
    sound = sum(np.sin(phase * harmonic) / harmonic for harmonic in range(1, 15))
    syllables = 0.6 + 0.4 * np.sin(2 * np.pi * 3 * times)
    return np.asarray(4_000 * sound * syllables, np.int16)


def protected_encoder(percent: float = 10.0) -> OpusEncoder:
    encoder = OpusEncoder()
    encoder.expect_loss(percent)
    encoder.encode(SILENCE)
    return encoder


def packets(encoder: OpusEncoder, sound: Samples) -> list[bytes]:
    return [encoder.encode(frame) for frame in np.split(sound, FRAMES)]


def played(sent: list[bytes], lost: set[int], *, with_copies: bool) -> list[Samples]:
    decoder, heard = OpusDecoder(), []
    for number, packet in enumerate(sent):
        if number not in lost:
            frame = decoder.decode(packet)
        elif with_copies:
            frame = decoder.recover(sent[number + 1], SAMPLES_PER_FRAME)
        else:
            frame = decoder.conceal(SAMPLES_PER_FRAME)
        assert frame is not None
        heard.append(frame)
    return heard


def difference(one: list[Samples], other: list[Samples], frames: set[int]) -> float:
    """Of the spectra in ``frames``, by that of the first: 0 is the same."""
    window = np.hanning(SAMPLES_PER_FRAME)
    total = wrong = 0.0
    for number in frames:
        a, b = (np.abs(np.fft.rfft(each[number] * window)) for each in (one, other))
        total += float(np.sum(a**2))
        wrong += float(np.sum((a - b) ** 2))
    return wrong / total


def test_a_stream_without_loss_has_no_copies_and_one_with_loss_has_them() -> None:
    encoder, decoder, sound = OpusEncoder(), OpusDecoder(), voice_like()
    assert not any(map(decoder.has_copy, packets(encoder, sound)))
    encoder.expect_loss(0.5)
    assert not any(map(decoder.has_copy, packets(encoder, sound)))
    assert sum(map(decoder.has_copy, packets(protected_encoder(5.0), sound))) > FRAMES / 2


def test_a_copy_is_closer_to_what_was_lost_than_a_continuation() -> None:
    sound = voice_like()
    sent = packets(protected_encoder(), sound)
    lost = set(range(10, FRAMES - 1, 7))
    whole = played(sent, set(), with_copies=False)
    recovered = difference(whole, played(sent, lost, with_copies=True), lost)
    continued = difference(whole, played(sent, lost, with_copies=False), lost)
    assert recovered < continued / 2
    assert recovered < 0.05


def test_copies_begin_in_a_quiet_moment_where_the_change_makes_no_click() -> None:
    encoder, decoder, sound = OpusEncoder(), OpusDecoder(), voice_like()
    encoder.expect_loss(5.0)
    assert not any(map(decoder.has_copy, packets(encoder, sound)))
    change = [decoder.decode(encoder.encode(SILENCE)) for _ in range(5)]
    assert np.abs(np.concatenate([each for each in change[1:] if each is not None])).max() < 100
    assert any(map(decoder.has_copy, packets(encoder, sound)))


def test_a_decoder_tells_how_long_a_packet_is() -> None:
    decoder = OpusDecoder()
    assert decoder.samples_in(OpusEncoder().encode(voice_like(1))) == SAMPLES_PER_FRAME
    assert decoder.samples_in(b"") == 0
    assert decoder.samples_in(b"\xff" * 7) == 0


@pytest.mark.parametrize("packet", [b"", b"\xff" * 7, b"\x03\xff", bytes(1_500)])
def test_what_is_not_opus_raises_nothing(packet: bytes) -> None:
    decoder = OpusDecoder()
    decoder.decode(packet)
    decoder.recover(packet, SAMPLES_PER_FRAME)
    decoder.has_copy(packet)
    frame = decoder.decode(OpusEncoder().encode(voice_like(1)))
    assert frame is not None
    assert frame.shape == (SAMPLES_PER_FRAME,)
