"""What is refused when an address is saved."""

from __future__ import annotations

from ipaddress import ip_address

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outbound.address import AddressRefused, check_address, parse_address
from outbound.ip_rules import refusal
from outbound.policy import OutboundPolicy
from tests.outbound.blocked_addresses import (
    BLOCKED_AUTHORITIES,
    BLOCKED_SCHEMES,
    blocked_addresses,
)
from tests.outbound.names import FakeNames, no_answer_in_time

INTERNET = OutboundPolicy()
PUBLIC = "93.184.216.34"


def test_the_list_has_no_repetitions_and_is_long_enough() -> None:
    assert len(set(BLOCKED_AUTHORITIES)) == len(BLOCKED_AUTHORITIES) >= 60


@pytest.mark.parametrize("url", [*blocked_addresses(), *BLOCKED_SCHEMES], ids=ascii)
async def test_a_blocked_form_is_refused_without_a_name_server(url: str) -> None:
    names = FakeNames(((PUBLIC,),))
    with pytest.raises(AddressRefused) as refused:
        await check_address(url, INTERNET, resolver=names.resolve)
    assert names.asked == []
    assert str(refused.value).endswith(".")
    assert str(refused.value)[0] in "'0123456789abcdef:" or str(refused.value)[0].isupper()


@pytest.mark.parametrize(
    "url",
    [
        "https://example.com",
        "https://example.com./hook",
        "https://EXAMPLE.com:8443/hook?a=b#c",
        "https://münchen.example/",
        "https://xn--mnchen-3ya.example/",
        "https://a_b.example.com/",
        "https://example.com/path@with:signs",
        "https://example.com:443",
        "https://example.com:",
        f"https://{PUBLIC}/",
        "https://8.8.8.8:65535/",
        "https://[2606:2800:220:1::1]/",
        "https://[64:ff9b::8.8.8.8]/",
        "https://[::ffff:8.8.8.8]/",
        "https://localhost.example.com/",
        "https://internal.example.com/",
        "https://1.example.com/",
        "https://0x7f.example.com/",
    ],
)
async def test_addresses_of_the_internet_pass(url: str) -> None:
    await check_address(url, INTERNET, resolver=FakeNames(((PUBLIC,),)).resolve)


@pytest.mark.parametrize(
    "answer",
    [
        ("127.0.0.1",),
        ("169.254.169.254",),
        ("100.64.3.4",),
        ("::ffff:10.0.0.1",),
        ("64:ff9b::a00:1",),
        ("fd00::1",),
        (PUBLIC, "10.0.0.1"),
        ("10.0.0.1", PUBLIC),
    ],
)
async def test_a_name_with_any_private_address_is_refused(answer: tuple[str, ...]) -> None:
    with pytest.raises(AddressRefused, match=r"'rebind\.example\.com' leads to .*, which "):
        await check_address(
            "https://rebind.example.com/", INTERNET, resolver=FakeNames((answer,)).resolve
        )


async def test_a_name_without_addresses_may_be_set_up_later() -> None:
    await check_address("https://soon.example.com", INTERNET, resolver=FakeNames().resolve)
    await check_address("https://slow.example.com", INTERNET, resolver=no_answer_in_time)


@pytest.mark.parametrize("port", ["8_0", "٤٤٣", "+443", "4 43", "x"])
def test_a_port_is_written_in_plain_digits(port: str) -> None:
    with pytest.raises(AddressRefused):
        parse_address(f"https://example.com:{port}/", INTERNET)


@pytest.mark.parametrize("scheme", ["https", "wss"])
async def test_only_the_schemes_asked_for_pass(scheme: str) -> None:
    names = FakeNames(((PUBLIC,),))
    url = f"{scheme}://example.com/"
    await check_address(url, INTERNET, schemes=frozenset({scheme}), resolver=names.resolve)
    with pytest.raises(AddressRefused, match="must begin with ftp:// or http://"):
        await check_address(url, INTERNET, schemes=frozenset({"http", "ftp"}))


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        (
            "https://10.1.2.3",
            "10.1.2.3 belongs to a private network; "
            "only addresses of the public internet are called.",
        ),
        (
            "https://[::ffff:169.254.169.254]",
            "::ffff:a9fe:a9fe means 169.254.169.254, which is link-local, where clouds serve "
            "machine credentials; only addresses of the public internet are called.",
        ),
        (
            "https://0x7f.1",
            "'0x7f.1' is an unusual way to write an IP address; use four decimal numbers.",
        ),
        (
            "https://api.internal",
            "'api.internal' is a name of a private network, not of the internet.",
        ),
        (
            "https://me:secret@example.com",
            "The address must not contain a user name or password ('@').",
        ),
        ("http://example.com", "The address must begin with https://."),
    ],
)
async def test_the_refusal_says_which_rule_and_why(url: str, sentence: str) -> None:
    with pytest.raises(AddressRefused) as refused:
        await check_address(url, INTERNET)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("networks", "address", "public"),
    [
        (("10.20.0.0/16",), "10.20.3.4", True),
        (("10.20.0.0/16",), "10.21.3.4", False),
        (("10.20.0.0/16",), "::ffff:10.20.3.4", True),
        (("10.20.0.0/16",), "64:ff9b::10.20.3.4", True),
        (("10.20.0.0/16",), "64:ff9b:1::10.20.3.4", False),
        (("64:ff9b:1::/48",), "64:ff9b:1::10.20.3.4", False),
        (("64:ff9b:1::/48", "10.20.0.0/16"), "64:ff9b:1::10.20.3.4", True),
        (("fd00::/8",), "fd12::1", True),
        (("fd00::/8",), "::1", False),
        ((), "8.8.8.8", True),
    ],
)
def test_the_operator_opens_networks_and_nothing_else(
    networks: tuple[str, ...], address: str, public: bool
) -> None:
    assert (refusal(ip_address(address), OutboundPolicy(networks)) is None) is public


async def test_with_an_open_network_private_names_are_judged_by_their_addresses() -> None:
    policy = OutboundPolicy(("10.20.0.0/16",))
    inside, outside = FakeNames((("10.20.0.9",),)), FakeNames((("10.99.0.9",),))
    await check_address("https://crm.internal", policy, resolver=inside.resolve)
    with pytest.raises(AddressRefused):
        await check_address("https://crm.internal", policy, resolver=outside.resolve)


@pytest.mark.parametrize("network", ["10.0.0.0/33", "intranet", "10.0.0.1/8"])
def test_a_malformed_network_is_refused_at_once(network: str) -> None:
    with pytest.raises(ValueError, match=network.split("/")[0]):
        OutboundPolicy((network,))


_PIECES = st.sampled_from(
    ["https://", "127.0.0.1", "[", "]", "::1", "@", ":", "%", "\\", "/", "?", "#", ".", "0x", "1"]
)


@settings(max_examples=400, deadline=None)
@given(st.one_of(st.text(max_size=60), st.lists(_PIECES, max_size=12).map("".join)))
def test_no_text_whatever_fails_in_another_way(text: str) -> None:
    for url in (text, f"https://{text}"):
        try:
            target = parse_address(url, INTERNET)
        except AddressRefused:
            continue
        assert target.host.isascii()
        assert 1 <= target.port <= 65535
