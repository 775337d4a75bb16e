"""Which mail addresses are taken, and how they are told apart."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from control_plane.platform.mail.addresses import normalized


@pytest.mark.parametrize(
    ("written", "stored"),
    [
        (" Mia@Example.COM ", "mia@example.com"),
        ("a@b.c", "a@b.c"),
        ("mia.meyer+calls@sub.example.co.uk", "mia.meyer+calls@sub.example.co.uk"),
        ("o'neill@example.com", "o'neill@example.com"),
        ("root@localhost", "root@localhost"),
        ("mia@xn--mnchen-3ya.example", "mia@xn--mnchen-3ya.example"),
        ("x" * 64 + "@example.com", "x" * 64 + "@example.com"),
    ],
)
def test_an_address(written: str, stored: str) -> None:
    assert normalized(written) == stored


@pytest.mark.parametrize(
    "written",
    [
        "",
        "mia",
        "@example.com",
        "mia@",
        "mia@@example.com",
        "mia@b@example.com",
        "mia meyer@example.com",
        "mia@exa mple.com",
        "=?utf-8?q?x=0d=0abcc=3a_e=40example.org?=@example.com",
        "mia.=?utf-8?q?x?=@example.com",
        ".mia@example.com",
        "mia.@example.com",
        "mi..a@example.com",
        "mia@.example.com",
        "mia@example.com.",
        "mia@example..com",
        "mia@-example.com",
        "mia@example-.com",
        "mia@exam_ple.com",
        '"mia"@example.com',
        "mia@[127.0.0.1]",
        "Mia <mia@example.com>",
        "mia@example.com, noah@example.com",
        "mia@example.com\nBcc: noah@example.com",
        "mia\x00@example.com",
        "mia@münchen.example",
        "mïa@example.com",
        "mia@example\uff0ecom",
        "x" * 65 + "@example.com",
        "mia@" + "x" * 64 + ".com",
        "mia@" + "a." * 130 + "com",
    ],
)
def test_no_address(written: str) -> None:
    with pytest.raises(ValueError, match=r"must be|is too long"):
        normalized(written)


@given(st.text() | st.emails())
@example("0" * 64 + "@" + "0" * 10)
def test_what_is_taken_is_one_plain_recipient(written: str) -> None:
    try:
        address = normalized(written)
    except ValueError:
        return
    assert normalized(address) == address
    # Long lines would be folded, and bring line ends of their own.
    message = EmailMessage(policy=SMTP.clone(max_line_length=None))
    message["To"] = address
    [recipient] = message["To"].addresses
    assert recipient.addr_spec == address
    assert message.as_bytes().count(b"\n") == 2
