"""Pydantic's findings in a client's words: which field, and what would be right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

_IN_BODY = "body"


def field_errors(findings: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """``[{"field": "persona.voiceConfig.language", "message": "…"}]``, in pydantic's order."""
    return [_field_error(finding) for finding in findings]


def _field_error(finding: Mapping[str, Any]) -> dict[str, str]:
    if finding["type"] == "json_invalid":
        position = f" at character {finding['loc'][-1]}" if finding["loc"] else ""
        reason = finding.get("ctx", {}).get("error", "syntax error")
        return {"field": _IN_BODY, "message": f"not valid JSON{position}: {reason}"}
    if finding["type"] == "extra_forbidden":
        return {"field": _path(finding["loc"]), "message": "is not a field that this route knows"}
    if finding["type"] in ("uuid_type", "uuid_parsing"):
        return {"field": _path(finding["loc"]), "message": "must be a UUID in a string"}
    message = str(finding["msg"]).removeprefix("Value error, ")
    return {"field": _path(finding["loc"]), "message": message}


def _path(location: tuple[str | int, ...]) -> str:
    """``("body", "tools", 0, "name")`` → ``tools[0].name``.

    ``<…>`` tells which member of a union was tried, and ``[key]`` that a field's name is wrong:
    neither is a field.
    """
    parts = location[1:] if location and location[0] in ("body", "query", "path") else location
    path = ""
    for part in parts:
        if isinstance(part, str) and (part == "[key]" or (part[:1], part[-1:]) == ("<", ">")):
            continue
        path += f"[{part}]" if isinstance(part, int) else f".{part}" if path else str(part)
    return path or (str(location[0]) if location else _IN_BODY)
