"""Numbers in the form in which the English voice reads them rightly. Pure."""

from __future__ import annotations

import re

_LONG = re.compile(r"\d(?:,?\d){15,}")
"""The voice has names for numbers of 36 digits and fails on longer ones."""
_PHONE_OR_CODE = re.compile(
    r"""
      (?<![\w.,/:+$€£-])
      (?: \+\d{1,3}(?:[ .-]?\(?\d{2,12}\)?)+
        | (?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[ .-]\d{4}
        | 0\d{2,}(?:[ -]\d{2,})*
        | \d{10,} )
      (?![\w/:]|[.,-]\d)
    """,
    re.VERBOSE,
)
"""The voice would read "0042" as forty-two, and a phone number as hundreds or billions."""
_CURRENCY_BEHIND = re.compile(r"(?<![\w.,])(\d(?:[\d.,]*\d)?)\s?([$€£])(?!\w)")
"""The voice reads such a sign only in front."""


def readable(text: str) -> str:
    """``text`` with phone numbers, codes and very long numbers digit by digit."""
    text = _LONG.sub(lambda number: " ".join(number[0].replace(",", "")), text)
    text = _CURRENCY_BEHIND.sub(r"\2\1", text)
    return _PHONE_OR_CODE.sub(_digit_by_digit, text)


def _digit_by_digit(number: re.Match[str]) -> str:
    groups = ", ".join(" ".join(group) for group in re.findall(r"\d+", number[0]))
    return f"plus {groups}" if number[0].startswith("+") else groups
