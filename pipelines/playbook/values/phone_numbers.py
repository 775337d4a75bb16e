"""Phone numbers dictated in digits or words: "plus one, five five five, oh one double two"."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import phonenumbers

from pipelines.playbook.values.phrase import Found, Phrase

_MIN_DIGITS = 7
_SURELY_WHOLE = 10
_MAX_DIGITS = 15
"""The longest number in E.164."""
REPEATS = {"double": 2, "triple": 3, "treble": 3}
_JOINERS = frozenset({"area", "code", "then", "and", "dash", "hyphen", "space"})
"""What follows "extension" is no part of the number."""
_ZEROS = frozenset({"o", "oh"})
_CORRECTS = frozenset({"no", "sorry", "mean", "meant", "actually", "rather", "wait", "correction"})
"""Before digits that are said again."""
_BESIDE_A_CORRECTION = frozenset(
    "oh i its it is thats make that the last two three four digits are should be".split()
)
_DIGITS_OF_A_CORRECTION = 2
_SOUNDS_LIKE = {"to": "2", "too": "2", "for": "4", "ate": "8", "o": "0", "oh": "0", "owe": "0"}
"""What recognisers write for a digit within a dictated number."""


def find_phone_numbers(said: Phrase, region: str | None, *, whole: bool) -> list[Found]:
    """At most one number: the longest run of digits.

    The value is in E.164 format if the number is possible in ``region`` (ISO 3166, "US"), else its
    digits as dictated. ``whole``: leave out a number that may be incomplete, such as a US number
    without its area code.
    """
    digits, words = _longest_run(said)
    count = len(digits.lstrip("+"))
    if not _MIN_DIGITS <= count <= _MAX_DIGITS:
        return []
    value = _canonical(digits, region)
    if whole and count < _SURELY_WHOLE and not value.startswith("+"):
        return []
    return [Found(value, speak_digits(digits), words)]


def dictated_digits(said: Phrase) -> str:
    """The digits of a number that may be incomplete; empty if there are none."""
    return _longest_run(said)[0]


def as_dictated(digits: str, region: str | None) -> Found | None:
    """The number that ``digits`` are if no more digits follow."""
    if len(digits.lstrip("+")) < _MIN_DIGITS:
        return None
    return Found(_canonical(digits, region), speak_digits(digits), range(0))


def _longest_run(said: Phrase) -> tuple[str, range]:
    """Of two as long as each other, the second is a correction."""
    best, best_words = "", range(0)
    for run, words in _runs(said):
        between = set(said.words[best_words.stop : words.start])
        is_correction = bool(between & _CORRECTS) and between <= _CORRECTS | _BESIDE_A_CORRECTION
        is_part = _DIGITS_OF_A_CORRECTION <= len(run) < min(len(best), _SURELY_WHOLE)
        if is_correction and is_part:
            best, best_words = _corrected(best, run), range(best_words.start, words.stop)
        elif len(run) >= len(best) or (is_correction and len(run) >= _SURELY_WHOLE):
            best, best_words = run, words
    return best, best_words


def _corrected(digits: str, correction: str) -> str:
    """``digits`` that end as they should; empty if the correction is not like their end."""
    end = digits[-len(correction) :]
    alike = sum(said == meant for said, meant in zip(end, correction, strict=True))
    return digits.removesuffix(end) + correction if 2 * alike >= len(end) else ""


def _runs(said: Phrase) -> Iterator[tuple[str, range]]:
    run, start, end, repeat = "", 0, 0, 1
    following = [token.text for token in said.tokens[1:]]
    for token, after in zip_longest(said.tokens, following):
        is_zero = token.text in _ZEROS and after not in _CORRECTS
        digits = _digits_of(token.text, inside=bool(run) or (is_zero and repeat > 1))
        if token.text in REPEATS:
            repeat = REPEATS[token.text]
            start = start if run else token.first
        elif digits and (is_zero or token.text not in _ZEROS):
            start = start if run or repeat > 1 else token.first
            run, end, repeat = run + digits[0] * (repeat - 1) + digits, token.last + 1, 1
        elif token.text not in _JOINERS or not run:
            if run:
                yield run, range(start, end)
            run, repeat = "+" if token.text == "plus" else "", 1
            start, end = token.first, token.last + 1
    if run:
        yield run, range(start, end)


def _digits_of(text: str, *, inside: bool) -> str:
    if text.isdecimal():
        return text
    if inside and text in _SOUNDS_LIKE:
        return _SOUNDS_LIKE[text]
    bare = text.replace("+", "", 1).replace(".", "").replace("/", "")
    return text.replace(".", "").replace("/", "") if bare.isdecimal() and len(bare) > 4 else ""


def _canonical(digits: str, region: str | None) -> str:
    try:
        number = phonenumbers.parse(digits, region)
    except phonenumbers.NumberParseException:
        return digits
    length = phonenumbers.is_possible_number_with_reason(number)
    if length != phonenumbers.ValidationResult.IS_POSSIBLE:
        return digits
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def speak_digits(digits: str) -> str:
    """``+15550123`` → ``plus 1, 5 5 5, 0 1 2 3``: single digits, in groups."""
    plus, bare = ("plus ", digits[1:]) if digits.startswith("+") else ("", digits)
    groups: list[str] = []
    while len(bare) > 4:
        groups.append(bare[:3])
        bare = bare[3:]
    return plus + ", ".join(" ".join(group) for group in (*groups, bare) if group)
