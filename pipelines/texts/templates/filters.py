"""The filters of texts. None of them raises, or makes a short text much longer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from jinja2.runtime import Undefined

from pipelines.texts.variables import MAX_TEXT_CHARACTERS

_MAX_JOINED = 100
_MAX_DECIMALS = 6


def as_text(value: Any) -> str:
    """The text for a value; empty if there is none."""
    return "" if value is None or isinstance(value, Undefined) else str(value)


def _default(value: Any, otherwise: Any = "", boolean: bool = False) -> Any:
    is_missing = value is None or isinstance(value, Undefined) or (boolean and not value)
    return otherwise if is_missing or value == "" else value


def _length(value: Any) -> int:
    return len(value) if isinstance(value, str | list | tuple | Mapping) else 0


def _first(value: Any) -> Any:
    return value[0] if isinstance(value, str | list | tuple) and value else None


def _last(value: Any) -> Any:
    return value[-1] if isinstance(value, str | list | tuple) and value else None


def _join(value: Any, separator: Any = "") -> str:
    if not isinstance(value, list | tuple):
        return as_text(value)
    joined = as_text(separator)[:100].join(as_text(part) for part in value[:_MAX_JOINED])
    return joined[:MAX_TEXT_CHARACTERS]


def _replace(value: Any, old: Any, new: Any) -> str:
    # Longer replacements could make the text grow with every filter.
    return as_text(value).replace(as_text(old), as_text(new)[:100])[:MAX_TEXT_CHARACTERS]


def _round(value: Any, decimals: Any = 0) -> Any:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    digits = decimals if isinstance(decimals, int) else 0
    rounded = round(float(value), min(max(digits, 0), _MAX_DECIMALS))
    return int(rounded) if digits <= 0 and abs(rounded) < 1e15 else rounded


def _text(change: Callable[[str], str]) -> Callable[[Any], str]:
    return lambda value: change(as_text(value)[:MAX_TEXT_CHARACTERS])


FILTERS: dict[str, Callable[..., Any]] = {
    "default": _default,
    "d": _default,
    "upper": _text(str.upper),
    "lower": _text(str.lower),
    "title": _text(str.title),
    "capitalize": _text(str.capitalize),
    "trim": _text(str.strip),
    "length": _length,
    "count": _length,
    "first": _first,
    "last": _last,
    "join": _join,
    "replace": _replace,
    "round": _round,
}
