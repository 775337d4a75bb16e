"""The client's address and scheme behind trusted proxies."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control_plane.platform.http.client_address import (
    Client,
    TrustedProxies,
    client_behind,
    is_public_host,
    provider_network_of,
)

PROXY = "10.0.0.1"
TRUSTED = TrustedProxies(("10.0.0.0/8", "2001:db8:ffff::/48"))


def address(peer: str, forwarded_for: str, trusted: TrustedProxies = TRUSTED) -> str:
    return client_behind(peer, forwarded_for, "", trusted).address


@pytest.mark.parametrize(
    ("peer", "forwarded_for", "client"),
    [
        # Without a trusted proxy, the header is the client's own invention.
        ("198.51.100.7", "203.0.113.1", "198.51.100.7"),
        (PROXY, "", PROXY),
        (PROXY, "198.51.100.7", "198.51.100.7"),
        # Several proxies, each of which has appended the address of its peer.
        (PROXY, "198.51.100.7, 10.0.0.3,10.0.0.2", "198.51.100.7"),
        # What the client has sent itself stays on the left.
        (PROXY, "1.1.1.1, 10.0.0.9, 198.51.100.7", "198.51.100.7"),
        (PROXY, "1.1.1.1, 198.51.100.7, 10.0.0.2", "198.51.100.7"),
        # A proxy that is not trusted may itself be the client of one that is.
        (PROXY, "198.51.100.7, 192.0.2.1", "192.0.2.1"),
        # All of them are trusted: a program next to the proxies.
        (PROXY, "10.0.0.3, 10.0.0.2", "10.0.0.3"),
        # A malformed entry ends the search at the proxy that wrote it.
        (PROXY, "198.51.100.7, unknown", PROXY),
        (PROXY, "198.51.100.7, , 10.0.0.2", "10.0.0.2"),
        (PROXY, "198.51.100.7,", PROXY),
        (PROXY, "<script>", PROXY),
        # Forms in which proxies write addresses.
        (PROXY, "198.51.100.7:40312", "198.51.100.7"),
        (PROXY, "2001:db8::7", "2001:db8::7"),
        (PROXY, "[2001:db8::7]:40312", "2001:db8::7"),
        (PROXY, '"[2001:DB8:0::7]"', "2001:db8::7"),
        (PROXY, "fe80::1%eth0", "fe80::1"),
        (PROXY, "::ffff:198.51.100.7", "198.51.100.7"),
        ("::ffff:10.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("2001:db8:ffff::1", "2001:db8::7, 2001:db8:ffff::2", "2001:db8::7"),
        # The peer of a socket that is not of the internet.
        ("a-unix-socket", "198.51.100.7", "a-unix-socket"),
    ],
)
def test_the_client_is_the_nearest_address_that_is_not_trusted(
    peer: str, forwarded_for: str, client: str
) -> None:
    assert address(peer, forwarded_for) == client


@given(st.text(alphabet=st.characters(max_codepoint=255), max_size=60))
def test_nothing_that_a_client_sends_changes_its_address(invented: str) -> None:
    assert address(PROXY, f"{invented},198.51.100.7,10.0.0.2") == "198.51.100.7"


@given(st.text(alphabet=st.characters(max_codepoint=255), max_size=60))
def test_without_trust_nothing_counts(invented: str) -> None:
    found = client_behind(PROXY, invented, invented, TrustedProxies())
    assert found == Client(PROXY)


@pytest.mark.parametrize(
    ("forwarded_for", "proto", "scheme"),
    [
        ("198.51.100.7", "https", "https"),
        ("198.51.100.7", " HTTP", "http"),
        ("", "https", "https"),
        # The client's own entry is on the left.
        ("198.51.100.7", "http, https", "https"),
        # The outer proxy speaks TLS with the client, the inner one does not with the outer one.
        ("198.51.100.7, 10.0.0.2", "https, http", "https"),
        ("198.51.100.7, 10.0.0.2", "http, https, http", "https"),
        # Two proxies, of which the inner one hands on what the outer one has written.
        ("198.51.100.7, 10.0.0.2", "https", "https"),
        ("198.51.100.7", "", None),
        ("198.51.100.7", "gopher", None),
    ],
)
def test_the_scheme_is_that_of_the_outermost_trusted_proxy(
    forwarded_for: str, proto: str, scheme: str | None
) -> None:
    assert client_behind(PROXY, forwarded_for, proto, TRUSTED).scheme == scheme


def test_a_client_without_a_proxy_cannot_choose_its_scheme() -> None:
    assert client_behind("198.51.100.7", "", "https", TRUSTED).scheme is None


@pytest.mark.parametrize("wrong", ["caddy", "10.0.0.0/40", "10.0.0.1/8", "*", ""])
def test_trust_is_given_to_addresses_and_networks_only(wrong: str) -> None:
    with pytest.raises(ValueError, match=r"does not appear|host bits"):
        TrustedProxies((wrong,))


@pytest.mark.parametrize(
    ("host", "is_public"),
    [
        ("voice.example.com", True),
        ("93.184.216.34", True),
        ("2606:2800:220:1::", True),
        ("localhost", False),
        ("127.0.0.1", False),
        ("::1", False),
        ("192.168.1.20", False),
        ("10.0.0.5", False),
        ("voice.local", False),
        ("voice.internal.", False),
        ("switchboard.test", False),
        ("", False),
    ],
)
def test_a_host_on_the_internet_is_public(host: str, is_public: bool) -> None:
    assert is_public_host(host) is is_public


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("198.51.100.7", "198.51.100.0/24"),
        ("2001:db8:1:2::3", "2001:db8:1::/48"),
        ("a-unix-socket", None),
    ],
)
def test_a_hosting_companys_customer_has_a_network(address: str, network: str | None) -> None:
    assert provider_network_of(address) == network
