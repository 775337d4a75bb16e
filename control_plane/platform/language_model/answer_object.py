"""Read a language model's answer as a JSON object that PostgreSQL can store. Pure."""

from __future__ import annotations

import math
import re
from typing import Any

from pydantic_core import from_json

from control_plane.platform.database import storable
from control_plane.platform.language_model.json_answers import LONGEST_ANSWER, UnusableAnswer

_LARGEST_INTEGER = 10**30
_DEEPEST = 60
_FENCED = re.compile(r"^\s*```(?:json)?\s*\n(?P<inside>.*)\n\s*```\s*$", re.DOTALL | re.IGNORECASE)


def read_object(text: str) -> dict[str, Any]:
    """Return the JSON object in ``text``, which may stand in a Markdown code fence.

    Raises:
        UnusableAnswer: the text is not one JSON object, is too long or nested too deeply, or
            holds a number that is too large.
    """
    if len(text) > LONGEST_ANSWER:
        raise UnusableAnswer([f"the answer has more than {LONGEST_ANSWER} characters"])
    fenced = _FENCED.match(text)
    try:
        value = from_json(fenced["inside"] if fenced else text, allow_inf_nan=False)
    except ValueError as error:
        raise UnusableAnswer([f"the answer is not JSON: {error}"]) from None
    if not isinstance(value, dict):
        raise UnusableAnswer(["the answer is not a JSON object"])
    cleaned: dict[str, Any] = _storable(value, _DEEPEST)
    return cleaned


def _storable(value: Any, depth_left: int) -> Any:
    if depth_left == 0:
        raise UnusableAnswer([f"the answer is nested more than {_DEEPEST} deep"])
    match value:
        case str():
            return storable(value)
        case dict():
            return {storable(name): _storable(v, depth_left - 1) for name, v in value.items()}
        case list():
            return [_storable(item, depth_left - 1) for item in value]
        case bool():
            return value
        case int() if abs(value) > _LARGEST_INTEGER:
            raise UnusableAnswer(["the answer holds a number that is too large"])
        case float() if not math.isfinite(value):
            raise UnusableAnswer(["the answer holds a number that is too large"])
        case _:
            return value
