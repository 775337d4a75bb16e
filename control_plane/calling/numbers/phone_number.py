"""Phone numbers in E.164, the one form in which they are stored and compared. Pure."""

from __future__ import annotations

import re

import phonenumbers

_WRITTEN = re.compile(r"\+[0-9][0-9 ().\-/\u00a0]{1,40}")


def e164(text: str) -> str:
    """``+1 (415) 555-0100`` → ``+14155550100``.

    The length must be possible in the number's country. Whether a carrier has assigned the number
    is not checked, because numbering plans change faster than any table of them.

    Raises:
        ValueError: the message tells what is wrong with ``text`` and what would be right.
    """
    text = text.strip()
    if not text.startswith("+"):
        raise ValueError(
            f"{_quoted(text)} does not begin with '+' and a country code: +14155550100"
        )
    if not _WRITTEN.fullmatch(text):
        raise ValueError(f"{_quoted(text)} is not a phone number such as +14155550100")
    try:
        number = phonenumbers.parse(text)
    except phonenumbers.NumberParseException:
        raise ValueError(f"{_quoted(text)} does not begin with an existing country code") from None
    if not phonenumbers.is_possible_number(number):
        raise ValueError(f"{_quoted(text)} is too long or too short for a number of its country")
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:40] + "…")
