"""The message format: texts of users stay within their field."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from typing import cast

import pytest

from control_plane.platform.mail.mail import Mail, UnexpectedHeader, as_message, one_line

NOW = datetime(2026, 1, 5, tzinfo=UTC)
SENDER = "Switchboard <noreply@example.org>"
FIELDS = [
    *("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted"),
    *("Content-Type", "Content-Transfer-Encoding", "MIME-Version"),
]
HEADER_AND_BODY = "x\r\nBcc: everybody@example.com\r\n\r\nA body of its own"
ENCODED_WORDS = [
    "=?utf-8?q?x=0d=0aBcc:_everybody@example.com=0d=0a=0d=0aA_body?=",
    f"=?utf-8?b?{b64encode(HEADER_AND_BODY.encode()).decode()}?=",
    "=?us-ascii?q?x=0aX-Forged:_1?=",
    "Bright =?utf-8?Q?x=0D=0A=0D=0Abody?= Smiles =?utf-8?q?=00?=",
    "a" * 80 + " =?utf-8?q?x=0d=0aBcc:_everybody@example.com?=",
    "=?=?utf-8?q?x=0aX-Forged:_1?=?=",
    "=\u200b?utf-8?q?x=0aX-Forged:_1?=",
]


@pytest.mark.parametrize("name", ENCODED_WORDS)
def test_an_encoded_word_in_a_name_adds_no_header_and_no_body(name: str) -> None:
    sent = as_message(Mail("mia@example.com", f"You are invited to {name}", "Hello"), SENDER, NOW)
    header, body = sent.split(b"\r\n\r\n", 1)
    message = cast(EmailMessage, message_from_bytes(sent, policy=default))

    assert body == b"Hello\r\n"
    assert message.keys() == FIELDS
    assert b"\x00" not in header
    assert b"\n" not in header.replace(b"\r\n", b"")
    assert message["Subject"].startswith("You are invited to ")
    assert "\n" not in message["Subject"]


@pytest.mark.parametrize(
    "address",
    [
        "=?utf-8?q?x=0d=0abcc=3a_everybody=40example.com?=@example.com",
        "Mia =?utf-8?q?=0d=0abcc=3a_everybody=40example.com?= <mia@example.com>",
        "mia@example.com\r\nBcc: everybody@example.com",
    ],
)
def test_a_mail_whose_header_is_not_ours_is_not_written(address: str) -> None:
    with pytest.raises(UnexpectedHeader):
        as_message(Mail(address, "Hello", "Hello"), SENDER, NOW)


@pytest.mark.parametrize("subject", ["", "ü" * 190, "x" * 190, "a b " * 45, "1 =? 2 ?= 3"])
@pytest.mark.parametrize("sender", [SENDER, "Grüße <a@b.example>", "switchboard@localhost"])
@pytest.mark.parametrize(
    "address", ["mia@example.com", "o'neil+{x}@example.com", f"{'m' * 64}@{'e' * 63}.{'e' * 63}.de"]
)
def test_the_check_lets_every_ordinary_mail_pass(address: str, sender: str, subject: str) -> None:
    sent = as_message(Mail(address, subject, "Grüße"), sender, NOW)
    message = cast(EmailMessage, message_from_bytes(sent, policy=default))
    assert message.keys() == FIELDS
    assert message["To"] == address
    assert message["Subject"].replace(" ", "") == subject.replace(" ", "")


def test_a_line_has_no_control_characters() -> None:
    assert one_line(" a\r\nb\x00c\u2028d  =?e?= ") == "a b c d = ?e?="


def test_html_comes_beside_the_plain_text_under_the_same_checks() -> None:
    mail = Mail("mia@example.com", "Hello", "Hello", html="<p>Grüße</p>")
    parsed = message_from_bytes(as_message(mail, SENDER, NOW), policy=default)
    assert isinstance(parsed, EmailMessage)
    for kind, content in (("plain", "Hello"), ("html", "<p>Grüße</p>")):
        part = parsed.get_body((kind,))
        assert part is not None
        assert part.get_content().strip() == content


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_mail_can_be_unsubscribed_from_in_one_click_where_the_address_is_secure(
    scheme: str,
) -> None:
    url = f"{scheme}://switchboard.example.com/mail-choices?reader={'x' * 200}"
    mail = Mail("mia@example.com", "Hello", "Hello", unsubscribe_url=url)
    sent = as_message(mail, SENDER, NOW)
    assert sent.startswith(f"List-Unsubscribe: <{url}>\r\n".encode())
    message = message_from_bytes(sent, policy=default)
    is_secure = scheme == "https"
    assert message["List-Unsubscribe-Post"] == ("List-Unsubscribe=One-Click" if is_secure else None)


@pytest.mark.parametrize(
    "end", ["\r\nBcc: everybody@example.com", "\r\n\r\nA body of its own", "é"]
)
def test_an_address_to_unsubscribe_adds_no_header(end: str) -> None:
    url = f"https://switchboard.example.com/mail-choices{end}"
    with pytest.raises(UnexpectedHeader):
        as_message(Mail("mia@example.com", "Hello", "Hello", unsubscribe_url=url), SENDER, NOW)
