"""The differences between two JSON documents, located by JSON Pointer (RFC 6901). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True)
class Difference:
    """``before`` is meaningless if ``op`` is ``add``, and ``after`` if it is ``remove``."""

    op: Literal["add", "remove", "replace"]
    path: str
    before: Any = None
    after: Any = None


def differences(before: Any, after: Any, path: str = "") -> Iterator[Difference]:
    """In the order of the documents. Arrays are compared index by index."""
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        yield from _of_members(dict(before), dict(after), path)
    elif isinstance(before, list) and isinstance(after, list):
        yield from _of_members(dict(enumerate(before)), dict(enumerate(after)), path)
    elif before != after or isinstance(before, bool) != isinstance(after, bool):
        yield Difference("replace", path, before, after)


def _of_members(before: dict[Any, Any], after: dict[Any, Any], path: str) -> Iterator[Difference]:
    for name in dict.fromkeys((*before, *after)):
        below = f"{path}/{str(name).replace('~', '~0').replace('/', '~1')}"
        if name not in after:
            yield Difference("remove", below, before=before[name])
        elif name not in before:
            yield Difference("add", below, after=after[name])
        else:
            yield from differences(before[name], after[name], below)
