import pytest

from runtime.media.sctp_form import has_whole_parameters

HEADER = bytes(12)
INIT_FIELDS = bytes(16)


def chunk(kind: int, body: bytes) -> bytes:
    return bytes([kind, 0]) + (len(body) + 4).to_bytes(2, "big") + body + bytes(-len(body) % 4)


def parameter(value: bytes, length: int | None = None) -> bytes:
    told = len(value) + 4 if length is None else length
    return b"\x80\x08" + told.to_bytes(2, "big") + value + bytes(-len(value) % 4)


@pytest.mark.parametrize("kind", [1, 2, 4, 5, 6, 9, 130])
def test_a_parameter_without_a_length_is_refused_in_every_chunk_that_has_parameters(
    kind: int,
) -> None:
    fields = INIT_FIELDS if kind in (1, 2) else b""
    whole = HEADER + chunk(3, bytes(12)) + chunk(kind, fields + parameter(b"abcde"))
    assert has_whole_parameters(whole)
    for length in (0, 3, 400):
        second = parameter(b"abcde") + parameter(b"abcde", length)
        assert not has_whole_parameters(HEADER + chunk(kind, fields + second)), length


@pytest.mark.parametrize(
    "packet",
    [
        b"",
        HEADER,
        HEADER + b"\x01\x00\x00\x00",
        HEADER + chunk(0, bytes(12) + b"\x00\x00\x00\x00" * 9),
        HEADER + chunk(1, b""),
    ],
    ids=["empty", "header", "chunk of no length", "data", "INIT without fields"],
)
def test_other_packets_are_left_to_the_library_that_reads_them(packet: bytes) -> None:
    assert has_whole_parameters(packet)
