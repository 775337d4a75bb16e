"""The mail addresses that are accepted. Pure."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator, WithJsonSchema

LONGEST = 254
"""RFC 5321, 4.5.3.1.3."""
_LONGEST_LOCAL_PART = 64
_LOCAL_PART = re.compile(r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*")
_DOMAIN = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*"
)


def normalized(address: str) -> str:
    """The address in lower case, which identifies a user.

    Accepts RFC 5321's ``Mailbox`` without its rare forms: no quoted names, no comments, no
    addresses in brackets, only ASCII characters. No ``=?`` either, which begins an encoded word
    (RFC 2047): mail programs decode it to anything.

    Raises:
        ValueError: ``text`` is not such an address. The message says what would be right.
    """
    address = address.strip().lower()
    local_part, at, domain = address.rpartition("@")
    if not at:
        raise ValueError("must be a mail address such as mia@example.com")
    if not address.isascii():
        raise ValueError("must be written in ASCII; write an international domain in its xn-- form")
    if len(address) > LONGEST or len(local_part) > _LONGEST_LOCAL_PART:
        raise ValueError(
            f"is too long: {LONGEST} characters in all, {_LONGEST_LOCAL_PART} before the @"
        )
    is_well_formed = _LOCAL_PART.fullmatch(local_part) and _DOMAIN.fullmatch(domain)
    if not is_well_formed or "=?" in local_part:
        raise ValueError("must be a mail address such as mia@example.com")
    return address


EmailAddress = Annotated[
    str,
    AfterValidator(normalized),
    WithJsonSchema({"type": "string", "format": "email", "maxLength": LONGEST}),
]
