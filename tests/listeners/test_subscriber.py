"""Whose an address is."""

from __future__ import annotations

import pytest

from listeners.subscriber import parsed_address, subscriber_of


@pytest.mark.parametrize(
    "text",
    ["", "unknown", "1.2.3", "1.2.3.4:port", "[::1", "[::1]x", "1.2.3.4.5", "::1::", "1.2.3.4:５"],
)
def test_what_is_no_address_is_none(text: str) -> None:
    assert parsed_address(text) is None
    assert subscriber_of(text) is None


def test_a_subscriber_has_a_whole_64_of_ipv6() -> None:
    assert subscriber_of("2001:db8::1") == subscriber_of("[2001:db8::2]:443") == "2001:db8::/64"
    assert subscriber_of("::ffff:198.51.100.1") == subscriber_of("198.51.100.1") == "198.51.100.1"
