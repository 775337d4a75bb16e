"""Range and conditional requests for a file (RFC 9110, sections 13 and 14). Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass

from control_plane.calling.recordings.errors import RangeNotSatisfiable

_ONE_RANGE = re.compile(r"bytes[ \t]*=[ \t]*([0-9]{0,18})-([0-9]{0,18})[ \t]*", re.IGNORECASE)


@dataclass(frozen=True)
class ByteRange:
    """``end`` is the first byte after the range."""

    start: int
    end: int


def requested_range(header: str | None, size_bytes: int) -> ByteRange | None:
    """The range that a ``Range`` header asks for; ``None``: the whole file.

    A header that is not a byte range is ignored, and so is one with several ranges, as RFC 9110,
    section 14.2, allows.

    Raises:
        RangeNotSatisfiable: the range starts after the end of the file.
    """
    match = _ONE_RANGE.fullmatch(header or "")
    if match is None or not any(match.groups()):
        return None
    first, last = match.groups()
    if not first:
        start, end = max(0, size_bytes - int(last)), size_bytes
    else:
        start, end = int(first), min(int(last) + 1, size_bytes) if last else size_bytes
        if last and int(last) < start:
            return None
    if start >= end:
        raise RangeNotSatisfiable(size_bytes)
    return ByteRange(start, end)


def matches_etag(header: str, etag: str) -> bool:
    """Whether an ``If-None-Match`` header matches ``etag``.

    Weak and strong tags compare equal; ``*`` matches every tag.
    """
    tags = (tag.strip().removeprefix("W/") for tag in header.split(","))
    return header.strip() == "*" or etag.removeprefix("W/") in tags
