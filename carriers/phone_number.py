"""Phone numbers as carriers write them. Pure."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"\+?[1-9][0-9]{6,14}")


def e164(text: str) -> str:
    """``14155550100`` → ``+14155550100``. What is no number, such as ``anonymous``, stays."""
    text = text.strip()
    return f"+{text.removeprefix('+')}" if _PLAIN.fullmatch(text) else text


def without_plus(number: str) -> str:
    """As Plivo and Vonage want it."""
    return number.removeprefix("+")
