"""What is left out of a delivery. Pure. ``docs/webhooks.md`` lists it field by field.

``partial`` masks phone numbers and mail addresses wherever they stand, and in what people said or
wrote also card numbers and other long numbers. ``full`` leaves only what is listed here.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any


class RedactionLevel(StrEnum):
    NONE = "none"
    PARTIAL = "partial"
    FULL = "full"


PHONE, MAIL, CARD, NUMBER = "[phone number]", "[e-mail address]", "[card number]", "[number]"

WORDS = frozenset(
    {
        "transcript",
        "summary",
        "structured_data",
        "reasoning",
        "errors",
        "title",
        "message",
    }
)
"""Fields with what people said or wrote, at any depth, with all that is in them."""

KEPT_IN_FULL = frozenset(
    {
        "call_id",
        "session_id",
        "agent_id",
        "participant_id",
        "notification_id",
        "tenant_id",
        "event_category",
        "channel",
        "status",
        "reason",
        "started_at",
        "duration",
        "cost",
        "telecom_cost",
        "provider_cost",
        "provider_cost_breakdown",
        "provider_cost_actual",
        "provider_cost_actual_breakdown",
        "intelligence_status",
        "passed",
        "score",
    }
)
"""``full`` sends these as they are."""
_OPENED_IN_FULL = frozenset({"evaluation", "metadata"})
"""``full`` looks into these for fields that it keeps."""
_LEFT_ALONE = re.compile(r"(?:^|_)(?:id|at|url|status|timestamp|category|code)$")
"""Fields whose values no person wrote; an id may look like a number."""

_ADDRESS_END = r"@[\w-]+(?:\.[\w-]+)+"
_MAIL = re.compile(rf"(?<![\w.+%-])[\w.+%-]+{_ADDRESS_END}(?:[.+%][\w.+%-]*{_ADDRESS_END})*")
"""It begins where a word begins. From each character of a word that is no address, a word of 20,000
characters would take seconds."""
_INTERNATIONAL = re.compile(r"(?<!\w)(?:\+|00)[1-9](?:[ ./()-]{0,2}\d){6,14}(?!\d)")
_LONG = re.compile(r"(?<!\w)\(?\d(?:[ ./()-]{0,2}\d){3,}(?!\w)")
_DATE = re.compile(r"(?:19|20)\d\d-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?)?")
_NATIONAL_DIGITS = range(9, 12)
_CARD_DIGITS = range(12, 20)


def redacted(data: Mapping[str, Any], level: RedactionLevel) -> dict[str, Any]:
    """An event's ``data`` as an endpoint of ``level`` gets it."""
    if level == RedactionLevel.NONE:
        return dict(data)
    if level == RedactionLevel.FULL:
        return _without_words(data)
    return {key: _masked(key, value, in_words=False) for key, value in data.items()}


def _masked(key: str, value: Any, *, in_words: bool) -> Any:
    in_words = in_words or key in WORDS
    if isinstance(value, Mapping):
        return {
            (masked_text(name, in_words=in_words) if in_words else name): _masked(
                name, item, in_words=in_words
            )
            for name, item in value.items()
        }
    if isinstance(value, list):
        return [_masked(key, item, in_words=in_words) for item in value]
    if isinstance(value, str) and (in_words or not _LEFT_ALONE.search(key)):
        return masked_text(value, in_words=in_words)
    if in_words and isinstance(value, int | float) and not isinstance(value, bool):
        # Positions and times of segments are no account numbers.
        return value if key in _COUNTS else _masked_number(value)
    return value


_COUNTS = frozenset({"sequence", "started_at_ms", "ended_at_ms"})


def _masked_number(value: float) -> Any:
    if isinstance(value, int) or value.is_integer():
        return value if abs(value) < 1000 else NUMBER
    return value if len(re.sub(r"\D", "", repr(value))) < 4 else NUMBER


def masked_text(text: str, *, in_words: bool) -> str:
    """
    Args:
        in_words: whether people said or wrote it, so that long numbers are masked as well.
    """
    text = _MAIL.sub(MAIL, text)
    text = _INTERNATIONAL.sub(PHONE, text)
    if not in_words:
        return text
    return "".join(
        part if _DATE.fullmatch(part) else _LONG.sub(_number, part)
        for part in re.split(f"((?<!\\d){_DATE.pattern}(?!\\d))", text)
    )


def _number(found: re.Match[str]) -> str:
    digits = re.sub(r"\D", "", found[0])
    if len(digits) in _CARD_DIGITS and is_card_number(digits):
        return CARD
    if len(digits) in _NATIONAL_DIGITS:
        return PHONE
    return NUMBER


def is_card_number(digits: str) -> bool:
    """The check digit of payment cards (ISO/IEC 7812-1, annex B, "Luhn")."""
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (2 if place % 2 else 1)
        total += value - 9 if value > 9 else value
    return total % 10 == 0


def _without_words(data: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _kept(key, value) for key, value in data.items()}


def _kept(key: str, value: Any) -> Any:
    if key in KEPT_IN_FULL:
        return value
    if key in _OPENED_IN_FULL and isinstance(value, Mapping):
        return _without_words(value)
    return [] if isinstance(value, list) else None
