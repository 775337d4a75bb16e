from __future__ import annotations

import pytest

from runtime.media.network.media_network import MediaNetwork
from runtime.media.network.remote_candidates import (
    MOST_CANDIDATES,
    RemoteAddresses,
    usable_candidates,
)

ANY = RemoteAddresses()
PUBLIC_ONLY = RemoteAddresses(loopback=False, private=False)


def candidate(address: str, *, port: int = 50_000, component: int = 1, over: str = "udp") -> str:
    return f"a=candidate:1 {component} {over} 2122260223 {address} {port} typ host"


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"]
)
def test_a_public_address_may_be_a_caller_s(address: str) -> None:
    assert PUBLIC_ONLY.include(address)


@pytest.mark.parametrize(
    "address",
    [
        "10.0.0.5",
        "192.168.1.2",
        "172.16.0.1",
        "100.64.0.1",
        "fd00::1",
        "::ffff:10.0.0.5",
        "64:ff9b::10.0.0.5",
    ],
)
def test_a_private_address_only_where_callers_have_one(address: str) -> None:
    assert not PUBLIC_ONLY.include(address)
    assert RemoteAddresses(loopback=False).include(address)


@pytest.mark.parametrize(
    "address", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1", "64:ff9b::127.0.0.1"]
)
def test_a_loopback_address_only_where_callers_have_one(address: str) -> None:
    assert not RemoteAddresses(loopback=False).include(address)
    assert RemoteAddresses(private=False).include(address)


@pytest.mark.parametrize(
    "address",
    ["0.0.0.0", "::", "224.0.0.1", "ff02::1", "255.255.255.255", "240.0.0.1", "169.254.169.254",
     "fe80::1", "6f0a.local", "example.com", "1.2.3", "8.8.8.8%eth0"],
)  # fmt: skip
def test_other_addresses_and_names_never(address: str) -> None:
    assert not ANY.include(address)


@pytest.mark.parametrize(
    ("own", "network", "loopback", "private"),
    [
        (["192.168.1.2"], MediaNetwork(), False, True),
        (["127.0.0.1"], MediaNetwork(), True, True),
        (["8.8.8.8"], MediaNetwork(), False, False),
        (["8.8.8.8", "172.17.0.1"], MediaNetwork(), False, False),
        (["192.168.1.2", "172.17.0.1"], MediaNetwork(), False, True),
        (["10.0.0.5"], MediaNetwork(advertised_addresses=("8.8.8.8",)), False, False),
        (["8.8.8.8"], MediaNetwork(advertised_addresses=("10.0.0.5",)), False, True),
        (["8.8.8.8"], MediaNetwork(private_candidates=True), False, True),
        (["192.168.1.2"], MediaNetwork(private_candidates=False), False, False),
    ],
)
def test_a_worker_s_own_addresses_tell_where_its_callers_are(
    own: list[str], network: MediaNetwork, loopback: bool, private: bool
) -> None:
    assert RemoteAddresses.of(network, own) == RemoteAddresses(loopback, private)


@pytest.mark.parametrize(
    "line",
    [
        candidate("8.8.8.8", port=53),
        candidate("8.8.8.8", port=0),
        candidate("8.8.8.8", port=70_000),
        candidate("8.8.8.8", component=2),
        candidate("8.8.8.8", over="tcp"),
        candidate("6f0a.local"),
    ],
)
def test_what_no_leg_can_use_is_left_out(line: str) -> None:
    assert usable_candidates([line, "a=end-of-candidates"], ANY) == ([], [])


def test_the_end_of_candidates_is_kept_with_them() -> None:
    lines = [candidate("8.8.8.8"), "a=mid:0", "a=end-of-candidates"]
    assert usable_candidates(lines, ANY) == ([lines[0]], [lines[2]])


def test_there_are_only_so_many_and_each_once() -> None:
    lines = [candidate("8.8.8.8", port=2_000 + n % 200) for n in range(400)]
    assert usable_candidates(lines, ANY)[0] == lines[:MOST_CANDIDATES]


@pytest.mark.parametrize("line", ["a=candidate:1", candidate("8.8.8.8").replace("50000", "port")])
def test_a_line_that_is_no_candidate_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match=r"few fields|invalid literal"):
        usable_candidates([line], ANY)
