"""Menus, price lists, opening hours and tables of a prompt, as sentences that can be spoken."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MONEY = r"(?:[$€£₹]\s?\d[\d,.]*|\d[\d,.]*\s?(?:[$€£₹]|dollars?|euros?|pounds?|usd|eur|gbp)\b)"
_PRICED = re.compile(
    rf"^(?P<item>[^\W\d_][^:?!|]{{1,60}}?)(?:\s*(?::|=|\s[-–—]|\.{{2,}}|…)\s*|\s{{2,}}|\s)"
    rf"(?P<price>(?:(?:from|starting at|up to|about)\s)?{_MONEY}[^?!|]{{0,60}})$",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:is|are|costs?|has|have|offers?|charges?|asks?|says?|owes?|call|if|when|tell|pay|never|"
    r"accepts?|includes?|will|can)\b",
    re.IGNORECASE,
)
_DAY = r"(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?"
_DAYS = (
    rf"(?P<days>(?:{_DAY}(?:\s*(?:-|–|—|to|through|thru|and|&|,)\s*)?)+|daily|every ?day|weekdays"
    r"|weekends?)"
)
_HOURS = re.compile(
    rf"^(?:(?:opening |office |business )?hours:\s*)?{_DAYS}\s*(?::|\s[-–—]\s|\s)\s*"
    r"(?P<closed>closed)?(?P<hours>\d[^?!|a-z]*(?:(?:am|pm|a\.m\.|p\.m\.|noon|to|and|until|till|[-–—])"
    r"[^?!|a-z]*)*)?\.?$",
    re.IGNORECASE,
)
_FULL_DAYS = {
    "mon": "Monday",
    "tue": "Tuesday",
    "wed": "Wednesday",
    "thu": "Thursday",
    "fri": "Friday",
    "sat": "Saturday",
    "sun": "Sunday",
}
_RULE = re.compile(r"^[\s:|+-]+$")
_LONGEST_MENU = 12
"""So many items are read out at once."""


def price_in(line: str) -> str:
    """``Margherita: $12`` → ``Margherita is $12.`` Empty for any other line."""
    match = _PRICED.match(line.strip().rstrip("."))
    if match is None or _VERB.search(match["item"]):
        return ""
    return f"{match['item'].strip()} is {match['price'].strip()}."


def hours_in(line: str) -> str:
    """``Mon-Fri: 9am-5pm`` → ``We are open Monday to Friday from 9am to 5pm.`` Empty for any other
    line."""
    match = _HOURS.match(line.strip())
    if match is None or bool(match["closed"]) is bool(match["hours"]):
        return ""
    days = re.sub(r"(?i)\b(mon|tue|wed|thu|fri|sat|sun)[a-z]*\.?", _full_day, match["days"])
    days = re.sub(r"\s*(?:-|–|—|\bthrough\b|\bthru\b)\s*", " to ", days).strip(" ,")
    days = re.sub(r"\s*&\s*", " and ", days)
    on = "" if days.lower().startswith(("daily", "every")) else "on "
    if match["closed"]:
        return f"We are closed {on}{days}."
    hours = re.sub(r"\s*(?:-|–|—)\s*", " to ", match["hours"].strip(" ."))
    return f"We are open {'' if ' to ' in days else on}{days} from {hours}."


def table_facts(rows: Sequence[str]) -> tuple[str, ...]:
    """A sentence for each cell of a table whose rows look like ``| Check-up | $120 |``."""
    cells = [_cells(row) for row in rows if not _RULE.match(row)]
    if len(cells) < 2:
        return ()
    head, *body = cells
    facts: list[str] = []
    for row in body:
        if len(row) == 2 and (spoken := hours_in(f"{row[0]}: {row[1]}")):
            facts.append(spoken)
            continue
        for name, value in zip(head[1:], row[1:], strict=False):
            if value:
                facts.append(f"The {name.lower() or 'entry'} of {row[0]} is {value.rstrip('.')}.")
    return tuple(facts)


def question_rows(rows: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Questions and answers of a table with two columns of them; empty for other tables."""
    cells = [_cells(row) for row in rows if not _RULE.match(row)]
    asked = [row for row in cells if len(row) == 2 and row[0].endswith("?") and row[1]]
    return tuple((row[0], row[1]) for row in asked) if len(asked) * 2 > len(cells) - 1 else ()


def offered(items: Sequence[str]) -> str:
    """``("Soup", "Salad")`` → ``We have Soup and Salad.``"""
    shown = items[:_LONGEST_MENU]
    if len(shown) < 2:
        return f"We have {''.join(shown)}."
    return f"We have {', '.join(shown[:-1])} and {shown[-1]}."


def item_of(line: str) -> str:
    """The name of what a line of a price list is about; empty for any other line."""
    match = _PRICED.match(line.strip().rstrip("."))
    return match["item"].strip() if match and not _VERB.search(match["item"]) else ""


def _cells(row: str) -> list[str]:
    return [cell.strip(" *_`") for cell in row.strip().strip("|").split("|")]


def _full_day(match: re.Match[str]) -> str:
    return _FULL_DAYS[match[1].lower()]
