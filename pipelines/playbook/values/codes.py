"""Numbers that count nothing, such as a postal code, dictated in digits: "nine four one one oh"."""

from __future__ import annotations

import re
from itertools import groupby

from pipelines.playbook.values.numbers_in_words import Token
from pipelines.playbook.values.phone_numbers import REPEATS, speak_digits
from pipelines.playbook.values.phrase import Found, Phrase

_CODE = re.compile(r"\b(?:zip|postal|post|pin|code)\b|\S number$")
_ZEROS = frozenset({"oh", "o"})
_JOINERS = frozenset({"dash", "hyphen", "space"})
_LETTER = re.compile(r"[b-hj-z]")
"""Beside digits. "A" and "I" are words, too."""


def is_code(label: str) -> bool:
    """Whether a number of this name is a code: an "order number", but no "number of guests"."""
    return _CODE.search(label) is not None


def find_codes(said: Phrase) -> list[Found]:
    """The longest runs of digits, in the order in which they were said. None has letters in it."""
    runs = [
        list(run)
        for is_run, run in groupby(enumerate(said.tokens), lambda each: _is_part(each[1]))
        if is_run
    ]
    found = [code for run in runs if (code := _code(said, run)) is not None]
    longest = max((len(code.value) for code in found), default=0)
    return [code for code in found if len(code.value) == longest]


def _is_part(token: Token) -> bool:
    return token.text.isdecimal() or token.text in _ZEROS | _JOINERS | REPEATS.keys()


def _code(said: Phrase, run: list[tuple[int, Token]]) -> Found | None:
    first, last = run[0][0], run[-1][0]
    beside = [*said.tokens[max(0, first - 1) : first], *said.tokens[last + 1 : last + 2]]
    parts = [token for _, token in run if token.text not in _JOINERS]
    # "Oh, 94110" begins with no zero.
    while parts and parts[0].text in _ZEROS and not _begins_with_zero(said, parts):
        parts = parts[1:]
    digits, repeat = "", 1
    for part in parts:
        if part.text in REPEATS:
            repeat = REPEATS[part.text]
            continue
        more = "0" if part.text in _ZEROS else part.text
        digits, repeat = digits + more[0] * (repeat - 1) + more, 1
    if not digits or any(_LETTER.fullmatch(token.text) for token in beside):
        return None
    spoken = speak_digits(digits) if len(parts) > 1 else digits
    return Found(digits, spoken, range(parts[0].first, parts[-1].last + 1))


def _begins_with_zero(said: Phrase, parts: list[Token]) -> bool:
    return (
        parts[0].first not in said.stops
        and len(parts) > 1
        and (len(parts[1].text) == 1 or parts[1].text in _ZEROS | REPEATS.keys())
    )
