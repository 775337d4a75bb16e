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
    message.set_content(mail.text, cte="quoted-printable")
    return message


def one_line(text: str) -> str:
    """Without line ends and other control characters, runs of space as one."""
    printable = "".join(
        " " if unicodedata.category(character)[0] in "CZ" else character for character in text
    )
    return " ".join(printable.split())
