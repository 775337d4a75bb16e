"""Cardinals and ordinals spoken as English words, turned into digits.

``"the twenty fourth of may"`` becomes the tokens ``the 24th of may``, and ``"three thirty"``
becomes ``3 30``. Digits that are dictated one by one stay separate: ``"five five five"`` is
``5 5 5``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

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
_HUNDRED = "hundred"
_SCALES = {"thousand": 1_000, "million": 1_000_000}
_FEW_DIGITS = re.compile(r"\d{1,3}(?:\.\d{1,6})?")
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
    total, end, at = Fraction(0), start, start
    scale_before: int | None = None
    while (group := _group_at(words, at)) is not None:
        value, after, is_ordinal = group
        scale = _SCALES.get(_word(words, after), 1)
        if scale_before is not None and value * scale >= scale_before:
            # Another number: "one million, two million".
            break
        total, end = total + value * scale, after if scale == 1 else after + 1
        if is_ordinal:
            return ordinal(int(total)), end
        if scale == 1:
            break
        scale_before, at = scale, _after_and(words, end)
    return None if end == start else (str(int(total)), end)


def _group_at(words: Sequence[str], start: int) -> tuple[Fraction, int, bool] | None:
    """What is counted in thousands or millions, or what is left after them: its value, the index
    after it, and whether it is an ordinal."""
    if (counted := _counted_at(words, start)) is not None:
        value, index, is_ordinal = *counted, False
    elif (small := _below_hundred(words, start)) is not None:
        value, index, is_ordinal = Fraction(small[0]), small[1], small[2]
    else:
        return None
    if is_ordinal or _word(words, index) != _HUNDRED:
        return value, index, is_ordinal
    value, index = value * 100, index + 1
    rest = _below_hundred(words, _after_and(words, index))
    if rest is None or _word(words, rest[1]) == _HUNDRED or _is_dictated(words, rest[1] - 1):
        return value, index, False
    return value + rest[0], rest[1], rest[2]


def _is_dictated(words: Sequence[str], start: int) -> bool:
    """Whether digits follow each other, as in "eight hundred five five five"."""
    return all(_word(words, index) in _DIGITS for index in range(start, start + 3))


def _counted_at(words: Sequence[str], start: int) -> tuple[Fraction, int] | None:
    """What is a number only before "hundred", "thousand" or "million": "a", "500", "1.5", "one
    point five", "half a", "two and a half"."""
    word, following = _word(words, start), _word(words, start + 1)
    small = _below_hundred(words, start)
    after = start if small is None else small[1]
    if word in ("a", "an"):
        value, index = Fraction(1), start + 1
    elif _FEW_DIGITS.fullmatch(word):
        value, index = Fraction(word), start + 1
    elif (word, following) == ("half", "a"):
        value, index = Fraction(1, 2), start + 2
    elif small is not None and tuple(words[after : after + 3]) == ("and", "a", "half"):
        value, index = small[0] + Fraction(1, 2), after + 3
    elif small is not None and _word(words, after) == "point":
        value, index = small[0] + Fraction(_DIGITS.get(_word(words, after + 1), 0), 10), after + 2
    else:
        return None
    return (value, index) if _word(words, index) in (_HUNDRED, *_SCALES) else None


def _after_and(words: Sequence[str], index: int) -> int:
    return index + 1 if _word(words, index) == "and" else index


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
