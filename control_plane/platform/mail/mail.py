"""A mail and its message format. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from uuid import UUID, uuid4

_LONGEST_SUBJECT = 200
_LONGEST_LINE = 998
"""RFC 5322, 2.1.1."""
_FIELDS = ("From", "To", "Subject", "Date", "Message-ID", "Auto-Submitted")
_CONTENT_FIELDS = (
    ("Content-Type", "Content-Transfer-Encoding", "MIME-Version"),
    # With HTML: each part has an encoding of its own.
    ("MIME-Version", "Content-Type"),
)
_FIELD = re.compile(rb"([A-Za-z-]+):((?: |\r\n )?[ -~]*(?:\r\n[ \t][ -~]+)*)\r\n")
"""A field of a header, possibly folded (RFC 5322, 2.2)."""


class UnexpectedHeader(ValueError):
    """The mail is not sent, because its header is not the one that we wrote."""


@dataclass(frozen=True)
class Mail:
    """A mail to one person. ``to`` is an ``EmailAddress``; ``subject`` and ``text`` may contain
    text from users."""

    to: str
    subject: str
    text: str
    id: UUID = field(default_factory=uuid4)
    """The same for every attempt to send the same mail; its ``Message-ID``."""
    html: str | None = None
    """The same as ``text``, in HTML in which text from users is escaped."""
    unsubscribe_url: str | None = None
    """Where the reader, or the mail program with one click, ends such mails; one of our addresses,
    in ASCII."""


def as_message(mail: Mail, sender: str, now: datetime) -> bytes:
    """The message format (RFC 5322). No text in ``mail`` can add a header to it.

    Raises:
        UnexpectedHeader: the header holds anything but our fields, or another recipient.
    """
    message = EmailMessage(policy=SMTP)
    unsubscribing = _unsubscribing(mail.unsubscribe_url)
    try:
        message["From"] = sender
        message["To"] = mail.to
        message["Subject"] = one_line(mail.subject)[:_LONGEST_SUBJECT]
        message["Date"] = format_datetime(now)
        message["Message-ID"] = f"<{mail.id}@{sender.rpartition('@')[2].strip('<> ')}>"
        # RFC 3834: prevents out-of-office replies.
        message["Auto-Submitted"] = "auto-generated"
        message.set_content(mail.text, cte=_encoding_for(mail.text))
        if mail.html is not None:
            message.add_alternative(mail.html, subtype="html", cte=_encoding_for(mail.html))
        # ``EmailMessage`` would encode a long address as if it were words.
        first = "".join(f"{name}: {value}\r\n" for name, value in unsubscribing.items())
        serialised = first.encode("ascii") + message.as_bytes()
    except ValueError as error:
        raise UnexpectedHeader(str(error)) from error
    _check_header(serialised, {"To": mail.to, **unsubscribing})
    return serialised


def _unsubscribing(url: str | None) -> dict[str, str]:
    """RFC 2369, 3.2, and RFC 8058, which allows one click for ``https`` only."""
    if url is None:
        return {}
    fields = {"List-Unsubscribe": f"<{url}>"}
    if url.startswith("https://"):
        fields["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    return fields


def _check_header(serialised: bytes, known: Mapping[str, str]) -> None:
    """The message is checked as it is sent, because parsing its fields may have decoded text that
    somebody encoded (RFC 2047).

    Raises:
        UnexpectedHeader
    """
    names, position = [], 0
    while field := _FIELD.match(serialised, position):
        name, value = field[1].decode(), re.sub(r"\r\n[ \t]", "", field[2].decode())
        if value.strip() != known.get(name, value.strip()):
            raise UnexpectedHeader(f"the field {name} holds more than {known[name]}")
        names.append(name)
        position = field.end()
    ours = (*(name for name in known if name not in _FIELDS), *_FIELDS)
    is_ours = tuple(names) in [(*ours, *content) for content in _CONTENT_FIELDS]
    if not is_ours or not serialised.startswith(b"\r\n", position):
        raise UnexpectedHeader(f"the header holds {', '.join(names)} and perhaps more")


def _encoding_for(text: str) -> str:
    """The readable transfer encoding where possible, so that tokens can be copied from a mail in
    the outbox folder."""
    is_plain = text.isascii() and max(map(len, text.splitlines()), default=0) <= _LONGEST_LINE
    return "7bit" if is_plain else "quoted-printable"


def one_line(text: str) -> str:
    """The text without line breaks and other control characters, and with single spaces.

    Nothing in it is an encoded word (RFC 2047) any more, which mail programs, and our own message
    format, would decode to what was left out here.
    """
    printable = "".join(
        " " if unicodedata.category(character)[0] in "CZ" else character for character in text
    )
    return " ".join(printable.replace("=?", "= ?").split())
