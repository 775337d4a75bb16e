"""The UDP ports of callers' audio."""

from __future__ import annotations

import socket

import pytest
from pydantic import ValidationError

from runtime.media.network.media_network import NoFreePort, PortRange
from tests.runtime.media.free_ports import free_ports

LOOPBACK = "127.0.0.1"


def test_a_range_is_read_as_it_is_written() -> None:
    ports = PortRange.model_validate("40000-40999")
    assert (ports.first, ports.last, str(ports)) == (40_000, 40_999, "40000-40999")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("40000", "for example 40000-40999"),
        ("41000-40000", "ends before it begins"),
        ("80-90", "greater than or equal to 1024"),
        ("40000-70000", "less than or equal to 65535"),
        ("a-b", "valid integer"),
    ],
)
def test_a_range_that_is_none_says_what_would_be_right(text: str, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        PortRange.model_validate(text)


def test_every_port_of_the_range_is_used_and_then_there_is_none() -> None:
    ports = free_ports(3)
    bound = [ports.bind(LOOPBACK) for _ in range(3)]
    try:
        assert sorted(each.getsockname()[1] for each in bound) == list(
            range(ports.first, ports.last + 1)
        )
        with pytest.raises(NoFreePort, match=f"no UDP port of {ports} is free on {LOOPBACK}"):
            ports.bind(LOOPBACK)
    finally:
        for each in bound:
            each.close()


def test_an_address_of_another_machine_is_not_taken_for_a_full_range() -> None:
    with pytest.raises(OSError, match="address") as failure:
        free_ports(2).bind("198.51.100.7")
    assert not isinstance(failure.value, NoFreePort)


def test_sockets_do_not_block() -> None:
    bound = free_ports(1).bind(LOOPBACK)
    with bound, pytest.raises(BlockingIOError):
        bound.recv(1)
    assert bound.type == socket.SOCK_DGRAM
