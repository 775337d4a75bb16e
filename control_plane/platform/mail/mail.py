"""A mail and its message format. Pure."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from uuid import UUID, uuid4

_LONGEST_SUBJECT = 200
_LONGEST_LINE = 998
"""RFC 5322, 2.1.1."""


@dataclass(frozen=True)
class Mail:
    """A plain-text mail to one person. ``to`` is an ``EmailAddress``; ``subject`` and ``text`` may
    contain text from users."""

    to: str
    subject: str
    text: str
    id: UUID = field(default_factory=uuid4)
    """The same for every attempt to send the same mail; its ``Message-ID``."""


def as_message(mail: Mail, sender: str, now: datetime) -> EmailMessage:
    """The message format (RFC 5322). No text in ``mail`` can add a header to it."""
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = mail.to
    message["Subject"] = one_line(mail.subject)[:_LONGEST_SUBJECT]
    message["Date"] = format_datetime(now)
    message["Message-ID"] = f"<{mail.id}@{sender.rpartition('@')[2].strip('<> ')}>"
    # RFC 3834: prevents out-of-office replies.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.text, cte=_encoding_for(mail.text))
    return message


def _encoding_for(text: str) -> str:
    """The readable transfer encoding where possible, so that tokens can be copied from a mail in
    the outbox folder."""
    is_plain = text.isascii() and max(map(len, text.splitlines()), default=0) <= _LONGEST_LINE
    return "7bit" if is_plain else "quoted-printable"


def one_line(text: str) -> str:
    """The text without line breaks and other control characters, and with single spaces."""
    printable = "".join(
        " " if unicodedata.category(character)[0] in "CZ" else character for character in text
    )
    return " ".join(printable.split())
