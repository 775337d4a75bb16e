"""Pydantic's findings in the words of JSON: which field is wrong, and what would be right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_IN_BODY = "body"

_OBJECT = "must be an object"
_ARRAY = "must be an array"
_STRING = "must be a string"
_INTEGER = "must be an integer"
_NUMBER = "must be a number"
_BOOLEAN = "must be true or false"
_DATE = "must be a date such as 2026-01-31"
_TIME = "must be a time such as 09:30:00"
_DATE_TIME = "must be a date and time such as 2026-01-31T09:30:00Z"
_UUID = "must be a UUID in a string"
_URL = "must be a URL such as https://example.com/path"

MESSAGES: Mapping[str, str] = {
    "missing": "is required",
    "extra_forbidden": "is not a field that this route knows",
    "none_required": "must be null",
    "model_type": _OBJECT,
    "model_attributes_type": _OBJECT,
    "dataclass_type": _OBJECT,
    "named_tuple_type": _ARRAY,
    "dict_type": _OBJECT,
    "mapping_type": _OBJECT,
    "invalid_key": "must have strings as names of its members",
    "list_type": _ARRAY,
    "tuple_type": _ARRAY,
    "set_type": _ARRAY,
    "frozen_set_type": _ARRAY,
    "iterable_type": _ARRAY,
    "set_item_not_hashable": "must not be an object or an array",
    "too_short": "must have at least {min_length} items",
    "too_long": "must have at most {max_length} items",
    "string_type": _STRING,
    "string_unicode": "must be a string of valid Unicode characters",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match the pattern {pattern}",
    "string_not_ascii": "must have ASCII characters only",
    "bytes_type": _STRING,
    "bytes_too_short": "must have at least {min_length} bytes",
    "bytes_too_long": "must have at most {max_length} bytes",
    "enum": "must be {expected}",
    "literal_error": "must be {expected}",
    "bool_type": _BOOLEAN,
    "bool_parsing": _BOOLEAN,
    "int_type": _INTEGER,
    "int_parsing": _INTEGER,
    "int_parsing_size": "must be an integer of fewer digits",
    "int_from_float": _INTEGER,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "finite_number": "must be a finite number",
    "decimal_type": _NUMBER,
    "decimal_parsing": _NUMBER,
    "decimal_max_digits": "must have at most {max_digits} digits",
    "decimal_max_places": "must have at most {decimal_places} digits after the decimal point",
    "decimal_whole_digits": "must have at most {whole_digits} digits before the decimal point",
    "greater_than": "must be greater than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
    "multiple_of": "must be a multiple of {multiple_of}",
    "date_type": _DATE,
    "date_parsing": _DATE,
    "date_from_datetime_parsing": _DATE,
    "date_from_datetime_inexact": _DATE,
    "date_past": "must be a date in the past",
    "date_future": "must be a date in the future",
    "time_type": _TIME,
    "time_parsing": _TIME,
    "datetime_type": _DATE_TIME,
    "datetime_parsing": _DATE_TIME,
    "datetime_from_date_parsing": _DATE_TIME,
    "datetime_object_invalid": _DATE_TIME,
    "datetime_past": "must be in the past",
    "datetime_future": "must be in the future",
    "timezone_aware": "must have a time zone, such as Z or +02:00",
    "timezone_naive": "must have no time zone",
    "timezone_offset": "must have another time zone",
    "time_delta_type": "must be a number of seconds",
    "time_delta_parsing": "must be a number of seconds",
    "union_tag_not_found": "must have the field {discriminator}",
    "union_tag_invalid": "must have a {discriminator} that is one of {expected_tags}",
    "url_type": _URL,
    "url_parsing": _URL,
    "url_syntax_violation": _URL,
    "url_too_long": "must have at most {max_length} characters",
    "url_scheme": "must be a URL that begins with {expected_schemes}",
    "uuid_type": _UUID,
    "uuid_parsing": _UUID,
    "uuid_version": "must be a UUID of version {expected_version}",
    "recursion_loop": "must not contain itself",
    "recursion_depth_exceeded": "is nested too deeply",
}
"""By pydantic's type of error, with the names of its context in braces."""


def field_errors(findings: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """``[{"field": "persona.voiceConfig.language", "message": "…"}]``, in pydantic's order."""
    return [_field_error(finding) for finding in findings]


def _field_error(finding: Mapping[str, Any]) -> dict[str, str]:
    if finding["type"] == "json_invalid":
        position = f" at character {finding['loc'][-1]}" if finding["loc"] else ""
        reason = finding.get("ctx", {}).get("error", "syntax error")
        return {"field": _IN_BODY, "message": f"not valid JSON{position}: {reason}"}
    return {"field": _path(finding["loc"]), "message": _message(finding)}


def _message(finding: Mapping[str, Any]) -> str:
    template = MESSAGES.get(finding["type"])
    if template is None:
        # Our own checks; pydantic says what kind of Python exception they raised.
        return str(finding["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    context = finding.get("ctx", {})
    message = template.format_map(context)
    is_one = 1 in (context.get("min_length"), context.get("max_length"))
    return message.removesuffix("s") if is_one and message.endswith("s") else message


def _path(location: tuple[str | int, ...]) -> str:
    """``("body", "tools", 0, "name")`` → ``tools[0].name``.

    ``<…>`` stands for the member of a union that was tried, and ``[key]`` says that the name of a
    field is wrong. Neither is a field.
    """
    parts = location[1:] if location and location[0] in ("body", "query", "path") else location
    path = ""
    for part in parts:
        if isinstance(part, str) and (part == "[key]" or (part[:1], part[-1:]) == ("<", ">")):
            continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path or (str(location[0]) if location else _IN_BODY)
