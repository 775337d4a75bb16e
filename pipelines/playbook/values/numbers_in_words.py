"""Cardinals and ordinals spoken as English words, turned into digits.

``"the twenty fourth of may"`` becomes the tokens ``the 24th of may``, and ``"three thirty"``
becomes ``3 30``. Digits that are dictated one by one stay separate: ``"five five five"`` is
``5 5 5``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_DIGITS = {
    word: value
    for value, word in enumerate("zero one two three four five six seven eight nine".split())
} | {"nought": 0}
_TEENS = {
    word: value
    for value, word in enumerate(
        "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen".split(),
        start=10,
    )
}
_TENS = {
    word: value * 10
    for value, word in enumerate(
        "twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2
    )
} | {"fourty": 40}
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_ORDINAL_DIGITS = {
    word: value
    for value, word in enumerate(
        "first second third fourth fifth sixth seventh eighth ninth".split(), start=1
    )
}
_ORDINALS = (
    _ORDINAL_DIGITS
    | {"tenth": 10, "eleventh": 11, "twelfth": 12, "twelvth": 12}
    | {f"{word}th": value for word, value in _TEENS.items() if value > 12}
    | {f"{word[:-1]}ieth": value for word, value in _TENS.items()}
)


@dataclass(frozen=True, slots=True)
class Token:
    """``text`` replaces the words ``first`` to ``last``, both included."""

    text: str
    first: int
    last: int


def tokens(words: Sequence[str]) -> tuple[Token, ...]:
    """The words with every spoken number replaced by digits ("24", "24th")."""
    found: list[Token] = []
    index = 0
    while index < len(words):
        text, following = _number_at(words, index) or (words[index], index + 1)
        found.append(Token(text, index, following - 1))
        index = following
    return tuple(found)


def _number_at(words: Sequence[str], start: int) -> tuple[str, int] | None:
    """A number's digits and the index after it; ``None`` if no number starts here."""
    if words[start] in ("a", "an") and _word(words, start + 1) in _SCALES:
        total, index = _SCALES[words[start + 1]], start + 2
    elif (small := _below_hundred(words, start)) is not None:
        value, index, is_ordinal = small
        if is_ordinal:
            return ordinal(value), index
        total = value
    elif words[start].isdecimal() and len(words[start]) < 4 and _word(words, start + 1) in _SCALES:
        total, index = int(words[start]), start + 1
    else:
        return None
    while (scale := _SCALES.get(_word(words, index))) is not None:
        total, index = total * scale if total < scale else total + scale, index + 1
        rest_at = index + 1 if _word(words, index) == "and" else index
        rest = _below_hundred(words, rest_at)
        if rest is None:
            continue
        value, after, is_ordinal = rest
        if _word(words, after) == "hundred":
            value, after = value * 100, after + 1
            tail_at = after + 1 if _word(words, after) == "and" else after
            if (tail := _below_hundred(words, tail_at)) is not None:
                value, after, is_ordinal = value + tail[0], tail[1], tail[2]
        total, index = total + value, after
        if is_ordinal:
            return ordinal(total), index
    return str(total), index


def _below_hundred(words: Sequence[str], start: int) -> tuple[int, int, bool] | None:
    """Value, index after it, and whether it is an ordinal."""
    word = _word(words, start)
    if word in _TENS:
        following = _word(words, start + 1)
        if _DIGITS.get(following):
            return _TENS[word] + _DIGITS[following], start + 2, False
        if following in _ORDINAL_DIGITS:
            return _TENS[word] + _ORDINAL_DIGITS[following], start + 2, True
        return _TENS[word], start + 1, False
    if word in _ORDINALS:
        return _ORDINALS[word], start + 1, True
    if word in _TEENS:
        return _TEENS[word], start + 1, False
    if word in _DIGITS:
        return _DIGITS[word], start + 1, False
    return None


def _word(words: Sequence[str], index: int) -> str:
    return words[index] if index < len(words) else ""


def ordinal(value: int) -> str:
    """``24`` → ``"24th"``."""
    if value % 100 in (11, 12, 13):
        return f"{value}th"
    return f"{value}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(value % 10, 'th') }"


def spelled(value: int) -> str:
    """A number from 0 to 59 in words, for clock times: ``30`` → ``"thirty"``."""
    names = {number: word for word, number in (_DIGITS | _TEENS).items() if word != "nought"}
    if value in names:
        return names[value]
    tens = {number: word for word, number in _TENS.items() if word != "fourty"}
    rest = value % 10
    return tens[value - rest] + (f"-{names[rest]}" if rest else "")
