"""Counts and amounts of money in free sentences, in words or digits."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from pipelines.playbook.values.phrase import Found, Phrase

_NUMBER = r"(?P<number>\d+(?:[.]\d+)?)(?: point (?P<decimals>\d+(?: \d)*))?"
_CURRENCIES = {
    "dollar": "USD",
    "buck": "USD",
    "euro": "EUR",
    "pound": "GBP",
    "quid": "GBP",
    "rupee": "INR",
}
_MONEY = re.compile(
    rf"(?<!\S){_NUMBER} (?P<currency>{'|'.join(_CURRENCIES)})s?"
    r"(?: (?:and )?(?P<cents>\d\d?)(?: cents?)?)?(?!\S)"
)
_CENTS = re.compile(r"(?<!\S)(?P<cents>\d\d?) (?:cents?|pence)(?!\S)")
_SUM = r"\d+(?:\.\d+)?(?: point \d+(?: \d)*)?(?: ?k| grand)?"
_ONE_SUM = re.compile(_SUM)
_CURRENCY = rf"(?:{'|'.join(_CURRENCIES)})s?"
_OR = r"(?:or|(?:up )?to|(?:or )?maybe)"
_SEVERAL_SUMS = re.compile(
    rf"(?<!\S)(?:between {_SUM}(?: {_CURRENCY})? and {_SUM}"
    rf"|{_SUM}(?: {_CURRENCY})? {_OR} {_SUM}|{_SUM} {_CURRENCY} {_SUM}(?= {_CURRENCY})"
    rf"|(?>{_SUM})(?: (?>{_SUM}))*)(?!\S)"
)
"""A range, or numbers one after the other: "two fifty" may be 250 or 2.50."""
_THOUSANDS = re.compile(rf"(?<!\S){_NUMBER}(?: ?k| grand)(?!\S)")
_ANY_NUMBER = re.compile(rf"(?<!\S){_NUMBER}(?!\S)")
_COUNTED = re.compile(
    r"(?<!\S)(?:for|party of|table of|were|we are|well be|there are|there will be|a group of) "
    rf"{_NUMBER}(?: of us)?(?!\S)"
)
_BEFORE_A_DAY = re.compile(rf"^(?:hi |hello |yes |sure )?(?:for )?{_NUMBER} (?=\|)")
"""``two tomorrow at eight``: another recogniser has taken the day."""
_COUNTS_PEOPLE = frozenset({"people", "guests", "party", "diners", "persons"})
_ADULTS = "adults?|grownups?|seniors?"
_CHILDREN = "child|children|kids?|baby|babies|toddlers?|infants?"
_GROUP = re.compile(rf"(?<!\S)(?P<count>\d+|an?) (?:(?P<adults>{_ADULTS})|{_CHILDREN})(?!\S)")
_OTHERS_BEFORE = re.compile(r"(?<!\S)(?:and|plus|with) $")
_OTHERS_AFTER = re.compile(r" (?:and|plus|with) (?:my|our|the|an?|\d+)(?!\S)")
_ONE_OF_SEVERAL = re.compile(r"(?<!\S)(?:\d+ (?:or|to) \d+|between \d+ and \d+)(?!\S)")
_OF_US = re.compile(rf"(?<!\S){_NUMBER} of us(?!\S)")
_NONE = re.compile(r"(?<!\S)(?:none|nobody|no one|not any)(?!\S)")
_COUPLE = re.compile(
    r"(?<!\S)(?:a )?(?:couple|pair)(?: of)?(?!\S)|(?<!\S)just me(?!\S)|(?<!\S)both of us(?!\S)"
)


def find_numbers(said: Phrase, *, expected: bool, units: Collection[str] = ()) -> list[Found]:
    """Counts in the order in which they were said.

    Unless ``expected``, a number counts only before one of ``units`` ("people") or after words like
    "for" and "a party of". Of two that it may be ("two or three"), none counts.
    """
    if _COUNTS_PEOPLE & set(units) and (groups := list(_GROUP.finditer(said.text))):
        if len(groups) > 1:
            return _together(said, groups)
        if _are_with_others(said, groups[0]):
            return []
    text = _ONE_OF_SEVERAL.sub(lambda several: re.sub(r"\S", "|", several[0]), said.text)
    if expected:
        found = [_found(said, match) for match in _ANY_NUMBER.finditer(text)]
        if not found and (match := _COUPLE.search(said.text)):
            count = "1" if "me" in match[0] else "2"
            found = [Found(count, count, said.word_span(*match.span()))]
        if not found and (match := _NONE.search(said.text)):
            found = [Found("0", "none", said.word_span(*match.span()))]
        return found
    patterns = [_COUNTED, _OF_US]
    if _COUNTS_PEOPLE & set(units):
        patterns.append(_BEFORE_A_DAY)
        units = {*units, *_COUNTS_PEOPLE}
    if units:
        names = "|".join(re.escape(unit) for unit in units)
        patterns.insert(0, re.compile(rf"(?<!\S){_NUMBER} (?:{names})(?!\S)"))
    first = next((m for pattern in patterns if (m := pattern.search(text))), None)
    return [_found(said, first)] if first else []


def _together(said: Phrase, groups: Sequence[re.Match[str]]) -> list[Found]:
    """ "Two adults and three kids" are five people. Without adults, or with a group that is named
    twice, as in a correction, it is not clear how many."""
    names = {group[0].split()[1].rstrip("s") for group in groups}
    if len(names) < len(groups) or not any(group["adults"] for group in groups):
        return []
    counts = (group["count"] for group in groups)
    count = str(sum(int(each) if each.isdecimal() else 1 for each in counts))
    return [Found(count, count, said.word_span(groups[0].start(), groups[-1].end()))]


def _are_with_others(said: Phrase, group: re.Match[str]) -> bool:
    """As in "my wife and two kids"."""
    before, after = said.text[: group.start()], said.text[group.end() :]
    return bool(_OTHERS_BEFORE.search(before) or _OTHERS_AFTER.match(after))


def find_amounts(said: Phrase, *, expected: bool) -> list[Found]:
    """Amounts such as "250 USD". Without a currency ("250"), only if ``expected``.

    Of two that it may be ("between 200 and 300 dollars"), none counts.
    """
    text = _SEVERAL_SUMS.sub(_hidden_if_several, said.text)
    found: list[Found] = []
    for match in _MONEY.finditer(text):
        cents = f".{int(match['cents']):02}" if match["cents"] else ""
        number = _digits(match) + cents
        currency = _CURRENCIES[match["currency"]]
        spoken = f"{number} {match['currency']}{'' if number == '1' else 's'}"
        words = said.word_span(*match.span())
        found.append(Found(f"{number} {currency}", spoken, words))
    if found or not expected:
        return found
    for match in _CENTS.finditer(text):
        number = f"0.{int(match['cents']):02}"
        found.append(Found(number, match[0], said.word_span(*match.span())))
    for match in _THOUSANDS.finditer(text):
        number = str(round(float(_digits(match)) * 1000))
        found.append(Found(number, number, said.word_span(*match.span())))
    return found or [_found(said, match) for match in _ANY_NUMBER.finditer(text)]


def _hidden_if_several(sums: re.Match[str]) -> str:
    return sums[0] if _ONE_SUM.fullmatch(sums[0]) else re.sub(r"\S", "|", sums[0])


def _found(said: Phrase, match: re.Match[str]) -> Found:
    number = _digits(match)
    return Found(number, number, said.word_span(*match.span()))


def _digits(match: re.Match[str]) -> str:
    number, decimals = match["number"], match["decimals"]
    return f"{number}.{decimals.replace(' ', '')}" if decimals else number
