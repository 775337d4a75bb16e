from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.media.network.packet_form import LARGEST_BYTES, is_stun, is_well_formed

RECORD = b"\x16\xfe\xfd" + bytes(8) + b"\x00\x03abc"


@pytest.mark.parametrize(
    "datagram",
    [
        pytest.param(b"\x80\x6f" + bytes(10), id="RTP, header only"),
        pytest.param(b"\x80\xc8" + bytes(6), id="RTCP, header only"),
        pytest.param(b"\x80\x6f" + bytes(LARGEST_BYTES - 2), id="RTP as long as a frame"),
        pytest.param(RECORD, id="one DTLS record"),
        pytest.param(RECORD * 3, id="three DTLS records"),
        pytest.param(RECORD + b"\x2f\x00\x01short header", id="a DTLS 1.3 record after another"),
    ],
)
def test_what_a_peer_sends_passes(datagram: bytes) -> None:
    assert is_well_formed(datagram)
    assert not is_stun(datagram)


@pytest.mark.parametrize(
    "datagram",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"\x80", id="one byte"),
        pytest.param(b"\x80\x6f" + bytes(9), id="RTP, cut off"),
        pytest.param(b"\x80\xc8" + bytes(5), id="RTCP, cut off"),
        pytest.param(b"\x80\x6f" + bytes(LARGEST_BYTES), id="too long"),
        pytest.param(RECORD[:-1], id="a DTLS record, cut off"),
        pytest.param(RECORD + b"\x16", id="a second DTLS record, cut off"),
        pytest.param(RECORD + b"\x00", id="something after a DTLS record"),
        pytest.param(b"\x50" * 20, id="TURN channel data"),
        pytest.param(b"\xff" * 20, id="nothing known"),
        pytest.param(b"\x00\x01\x00\x00" + bytes(16), id="STUN"),
    ],
)
def test_anything_else_does_not(datagram: bytes) -> None:
    assert not is_well_formed(datagram)


@given(st.binary(max_size=64))
def test_no_datagram_is_too_strange(datagram: bytes) -> None:
    assert not (is_well_formed(datagram) and is_stun(datagram))
