"""Merging a partial update into a document, after JSON Merge Patch (RFC 7396). Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

WHOLE = frozenset({("post_call", "structured_extraction", "json_schema")})
"""Objects that are documents of the tenant's own. They are replaced, never merged."""

_Path = tuple[str, ...]


def merged(
    document: Mapping[str, Any], changes: Mapping[str, Any], *, whole: frozenset[_Path] = WHOLE
) -> dict[str, Any]:
    """``document`` with ``changes``: objects are merged at every depth, other values replaced.

    Arrays are replaced as a whole. Unlike in RFC 7396, ``null`` stays in the result: each field
    decides whether ``null`` clears it or is refused.
    """
    return _merged(document, changes, whole, ())


def _merged(
    document: Mapping[str, Any], changes: Mapping[str, Any], whole: frozenset[_Path], path: _Path
) -> dict[str, Any]:
    result = dict(document)
    for name, change in changes.items():
        below = (*path, name)
        if isinstance(change, Mapping) and below not in whole:
            present = result.get(name)
            base = present if isinstance(present, Mapping) else {}
            result[name] = _merged(base, change, whole, below)
        else:
            result[name] = change
    return result


def changed_fields(
    before: Mapping[str, Any], after: Mapping[str, Any], prefix: str = ""
) -> list[str]:
    """Paths of the fields that differ, such as ``playbook.opener``; arrays count as one field."""
    found = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if isinstance(old, Mapping) and isinstance(new, Mapping):
            found += changed_fields(old, new, f"{prefix}{name}.")
        elif old != new:
            found.append(f"{prefix}{name}")
    return found
