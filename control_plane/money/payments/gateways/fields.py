"""Reading documents of which only some fields matter, and none can be relied on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID


class MissingField(Exception):
    """A field that an event of its kind always has is not there."""


def inner(document: Any, *path: str) -> Mapping[str, Any]:
    """The object at ``path``; empty if there is none."""
    for name in path:
        document = document.get(name) if isinstance(document, Mapping) else None
    return document if isinstance(document, Mapping) else {}


def text(document: Mapping[str, Any], name: str) -> str | None:
    value = document.get(name)
    return value if isinstance(value, str) and value else None


def required_text(document: Mapping[str, Any], name: str) -> str:
    """Raises ``MissingField``."""
    value = text(document, name)
    if value is None:
        raise MissingField(name)
    return value


def required_amount(document: Mapping[str, Any], name: str) -> int:
    """Raises ``MissingField``."""
    value = document.get(name)
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < 2**53:
        raise MissingField(name)
    return value


def amounts(document: Mapping[str, Any], name: str) -> list[int]:
    """The ``amount`` of each object in a list, negative ones, too."""
    entries = document.get(name)
    found = [inner(each).get("amount") for each in entries] if isinstance(entries, list) else []
    return [each for each in found if isinstance(each, int)]


def id_in(document: Mapping[str, Any], name: str) -> UUID | None:
    try:
        return UUID(str(document.get(name)))
    except ValueError:
        return None
