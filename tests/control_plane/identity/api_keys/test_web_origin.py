from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control_plane.identity.api_keys.web_origin import web_origin


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("https://shop.example", "https://shop.example"),
        (" HTTPS://Shop.Example/ ", "https://shop.example"),
        ("https://shop.example:443", "https://shop.example"),
        ("http://shop.example:80/", "http://shop.example"),
        ("https://shop.example:8443", "https://shop.example:8443"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("http://[::1]:3000", "http://[::1]:3000"),
        ("http://[2001:DB8:0:0::1]", "http://[2001:db8::1]"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
    ],
)
def test_an_origin_has_the_form_that_browsers_send(text: str, expected: str) -> None:
    assert web_origin(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "*",
        "https://*.example",
        "shop.example",
        "//shop.example",
        "https:shop.example",
        "https://",
        "https:///",
        "ftp://shop.example",
        "file:///etc/passwd",
        "chrome-extension://abcdef",
        "https://shop.example/checkout",
        "https://shop.example//",
        "https://shop.example?",
        "https://shop.example/?a=1",
        "https://shop.example#top",
        "https://user@shop.example",
        "https://user:password@shop.example",
        "https://@shop.example",
        "https://shop.example:",
        "https://shop.example:0",
        "https://shop.example:99999",
        "https://shop.example:port",
        "https://shop.example.",
        "https://.example",
        "https://shop..example",
        "https://-shop.example",
        "https://sh op.example",
        "https://shop.example\\evil.example",
        "https://shop\n.example",
        "https://shop.exa%6Dple",
        "https://bücher.example",
        "https://127.1",
        "https://0x7f.0.0.1",
        "https://1.2.3.4.5",
        "https://[::1",
        "https://[::1%25eth0]",
        "https://[shop.example]",
        "https://" + "a" * 64 + ".example",
        "https://" + "a." * 130 + "example",
    ],
)
def test_anything_else_is_refused_with_a_reason(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        web_origin(text)


@given(st.text(max_size=60) | st.from_regex(r"https?://[\x20-\x7e]{0,40}", fullmatch=True))
def test_what_is_accepted_is_its_own_form(text: str) -> None:
    try:
        origin = web_origin(text)
    except ValueError:
        return
    assert web_origin(origin) == origin
    assert origin.isascii()
    assert origin == origin.lower()
    assert origin.count("/") == 2
