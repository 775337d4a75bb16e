"""G.711 and linear PCM, against the tables of the standard and by ear: a tone stays a tone."""

from __future__ import annotations

import numpy as np
import pytest

from contracts.phone_media import Encoding, LegFormat, SampleHz
from runtime.media.audio.telephone_codec import (
    TelephoneDecoder,
    TelephoneEncoder,
    decode_mulaw,
    encode_mulaw,
)
from tests.runtime.media.loopback_peer import tone, tone_level

FORMATS: list[tuple[Encoding, SampleHz]] = [
    ("mulaw", 8_000),
    ("l16", 8_000),
    ("l16", 16_000),
    ("l16", 24_000),
]


def test_the_ends_of_the_mulaw_table_are_those_of_the_standard() -> None:
    """ITU-T G.711, table 2a: the loudest and the quietest codes of both signs."""
    codes = bytes([0x80, 0xFF, 0x00, 0x7F])
    assert decode_mulaw(codes).tolist() == [32_124, 0, -32_124, 0]


def test_every_mulaw_code_survives_a_round_trip() -> None:
    codes = bytes(code for code in range(256) if code != 0x7F)  # Its other zero is 0xFF.
    assert encode_mulaw(decode_mulaw(codes)) == codes


def test_loud_samples_are_clipped_and_not_wrapped() -> None:
    loudest = np.array([32_767, -32_768], np.int16)
    assert decode_mulaw(encode_mulaw(loudest)).tolist() == [32_124, -32_124]


@pytest.mark.parametrize(("encoding", "sample_hz"), FORMATS)
def test_a_tone_comes_out_as_loud_as_it_went_in(encoding: Encoding, sample_hz: SampleHz) -> None:
    leg_format = LegFormat(encoding=encoding, sample_hz=sample_hz)
    encoder, decoder = TelephoneEncoder(leg_format), TelephoneDecoder(leg_format)
    sound = tone(900, 48_000, 1.0)
    frames = [encoder.encode(sound[at : at + 960]) for at in range(0, sound.size, 960)]
    assert {len(frame) for frame in frames} == {leg_format.frame_bytes}
    decoded = [decoder.decode(frame) for frame in frames]
    heard = np.concatenate([frame for frame in decoded if frame is not None])[4_800:-4_800]
    said = sound[4_800:-4_800]
    assert tone_level(heard, 900, 48_000) == pytest.approx(tone_level(said, 900, 48_000), rel=0.05)


@pytest.mark.parametrize(("encoding", "sample_hz"), FORMATS)
def test_a_frame_of_another_length_is_no_frame(encoding: Encoding, sample_hz: SampleHz) -> None:
    decoder = TelephoneDecoder(LegFormat(encoding=encoding, sample_hz=sample_hz))
    for payload in (b"", b"\x00", bytes(159), bytes(10_000)):
        assert decoder.samples_in(payload) == 0
        assert decoder.decode(payload) is None
