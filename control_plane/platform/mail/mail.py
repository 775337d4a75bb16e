"""A mail, before it goes anywhere. Pure."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from uuid import uuid4

_LONGEST_SUBJECT = 200
_LONGEST_LINE = 998
"""RFC 5322, 2.1.1."""


@dataclass(frozen=True)
class Mail:
    """Plain text to one person. ``to`` is an ``EmailAddress``; ``subject`` and ``text`` may hold
    what people wrote."""

    to: str
    subject: str
    text: str


def as_message(mail: Mail, sender: str, now: datetime) -> EmailMessage:
    """The message on the wire (RFC 5322), which nothing in ``mail`` can add a header to."""
    message = EmailMessage(policy=SMTP)
    message["From"] = sender
    message["To"] = mail.to
    message["Subject"] = one_line(mail.subject)[:_LONGEST_SUBJECT]
    message["Date"] = format_datetime(now)
    message["Message-ID"] = f"<{uuid4()}@{sender.rpartition('@')[2].strip('<> ')}>"
    # RFC 3834: no out-of-office answers to this.
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(mail.text, cte=_encoding_for(mail.text))
    return message


def _encoding_for(text: str) -> str:
    """Plain where it can be: whoever reads a mail in the outbox folder copies a token from it."""
    is_plain = text.isascii() and max(map(len, text.splitlines()), default=0) <= _LONGEST_LINE
    return "7bit" if is_plain else "quoted-printable"


def one_line(text: str) -> str:
    """Without line ends and other control characters, runs of space as one."""
    printable = "".join(
        " " if unicodedata.category(character)[0] in "CZ" else character for character in text
    )
    return " ".join(printable.split())
