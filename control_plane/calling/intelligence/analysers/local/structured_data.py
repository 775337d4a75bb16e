"""Fills a tenant's structured data from the slots that the playbook engine collected. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from control_plane.calling.intelligence.analysers.assignment import Assignment
from control_plane.calling.intelligence.analysers.local.words import words
from control_plane.calling.intelligence.analysers.tenant_schema import TenantSchema

_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}")
_PHONE = re.compile(r"\+?\d[\d ()/.-]{6,18}\d")
_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,10})?")
_YES = frozenset({"yes", "true", "y", "1", "correct", "right"})
_NO = frozenset({"no", "false", "n", "0"})


class TooLittleFound(Exception):
    """The schema requires more than was found. The message says what is missing."""


def fill(assignment: Assignment, schema: TenantSchema) -> dict[str, Any]:
    """Fill as many of the schema's properties as possible.

    A required property that was not found is ``null``, if the schema allows that.

    Raises:
        TooLittleFound: the result does not fit the schema.
    """
    properties = schema.document.get("properties")
    wanted = properties if isinstance(properties, dict) else {}
    by_caller = [each.text for each in assignment.turns if each.speaker == "user"]
    filled: dict[str, Any] = {}
    for name, about in wanted.items():
        about = about if isinstance(about, dict) else {}
        text = _slot_for(name, about, assignment.slots) or _spoken(name, about, by_caller)
        if text is not None and (value := _as_type(text, about)) is not None:
            filled[name] = value
    for name in schema.wrong_properties(filled):
        filled.pop(name, None)
    required = schema.document.get("required")
    for name in required if isinstance(required, list) else ():
        filled.setdefault(name, None)
    if findings := schema.findings(filled):
        raise TooLittleFound("; ".join(findings))
    return filled


def _slot_for(name: str, about: Mapping[str, Any], slots: Mapping[str, str]) -> str | None:
    """The value of the slot that shares the most words with the property's name or title.

    Either name must contain all words of the other.
    """
    title = about.get("title")
    wanted = [set(words(text)) for text in (name, title) if isinstance(text, str)]
    best: tuple[int, str] | None = None
    for slot, value in slots.items():
        named = set(words(slot))
        for asked in wanted:
            if named and asked and (named <= asked or asked <= named):
                rating = len(named & asked) * 2 + (named == asked)
                if best is None or rating > best[0]:
                    best = (rating, value)
    return None if best is None else best[1]


def _spoken(name: str, about: Mapping[str, Any], by_caller: Iterable[str]) -> str | None:
    """The last email address or telephone number that the caller said."""
    named = set(words(name))
    if about.get("format") == "email" or named & {"email", "mail"}:
        pattern = _EMAIL
    elif named & {"phone", "telephone", "mobile"}:
        pattern = _PHONE
    else:
        return None
    found = [match.group() for text in by_caller for match in pattern.finditer(text)]
    return found[-1] if found else None


def _as_type(text: str, about: Mapping[str, Any]) -> Any:
    """``text`` as a value of the property's type; ``None`` if it cannot be one."""
    choices = about.get("enum")
    if isinstance(choices, list):
        same = (choice for choice in choices if str(choice).lower() == text.strip().lower())
        return next(same, None)
    declared = about.get("type", "string")
    for kind in declared if isinstance(declared, list) else [declared]:
        if (value := _as_kind(text, kind)) is not None:
            return value
    return None


def _as_kind(text: str, kind: object) -> Any:
    lowered = text.strip().lower()
    match kind:
        case "string":
            return text
        case "boolean":
            return True if lowered in _YES else False if lowered in _NO else None
        case "integer" | "number":
            number = _NUMBER.search(text.replace(",", ""))
            if number is None:
                return None
            return float(number.group()) if "." in number.group() else int(number.group())
        case _:
            return None
