"""Refuses JSON that the parser accepts but PostgreSQL cannot store.

It runs before a route's own validation, on every route with a JSON body.
"""

from __future__ import annotations

import asyncio
import math
from typing import Any

from fastapi import Request
from fastapi.routing import APIRoute

from control_plane.platform.errors import InvalidRequest, UnsupportedMediaType

MAX_DEPTH = 64
_LARGE_BYTES = 64 * 1024
"""Beyond it, reading a document and looking through it take 2 to 8 ms of the event loop each."""
_BIGINT = range(-(2**63), 2**63)


async def storable_input(request: Request) -> None:
    """A dependency of the whole app.

    Raises:
        UnsupportedMediaType: the body is not JSON, but the route needs JSON.
        InvalidRequest: text with U+0000 or half a surrogate pair, a number that is not finite or
            beyond a bigint, or nesting deeper than ``MAX_DEPTH``.
    """
    for source in (request.path_params, request.query_params):
        for name, value in source.items():
            if (fault := _fault_of_text(str(value))) is not None:
                raise InvalidRequest.at(name, fault)
    route = request.scope.get("route")
    if not isinstance(route, APIRoute) or route.body_field is None:
        return
    document = await request.body()
    if not document:
        return
    if not is_json(request.headers.get("content-type", "")):
        raise UnsupportedMediaType("Send the body as 'Content-Type: application/json'")
    body = await request.json()
    is_large = len(document) > _LARGE_BYTES
    if is_large:
        await _let_others_in()
    if is_storable(body, has_plain_texts=is_plain(document)):
        if is_large:
            await _let_others_in()
        return
    if (found := find_fault(body)) is not None:
        raise InvalidRequest.at(*found)


async def _let_others_in() -> None:
    """Begin another step, which waits for its own turn (``control_plane/platform/processor/``)."""
    await asyncio.sleep(0)


def is_storable(value: Any, *, has_plain_texts: bool = False) -> bool:
    """Whether ``find_fault`` finds nothing, in a third of its time. Checking 1 MB of JSON blocks
    the event loop, so the common case must be quick.

    Args:
        has_plain_texts: every text is known to be storable.
    """
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        texts: list[str] = []
        below: list[Any] = []
        # The parser makes exactly these types, and comparing them is quicker than ``match``.
        for item in level:
            kind = type(item)
            if kind is str:
                if not has_plain_texts:
                    texts.append(item)
            elif kind is dict:
                if not has_plain_texts:
                    texts.extend(item)
                below.extend(item.values())
            elif kind is list:
                below.extend(item)
            elif kind is float:
                if not math.isfinite(item):
                    return False
            elif kind is int and item not in _BIGINT:
                return False
        if _fault_of_text("".join(texts)) is not None:
            return False
        if not below:
            return True
        level = below
    return False


def find_fault(value: Any, path: str = "", depth: int = 0) -> tuple[str, str] | None:
    """The first value in parsed JSON that cannot be stored: ``(field, what is wrong)``."""
    if depth > MAX_DEPTH:
        return path, f"is nested deeper than {MAX_DEPTH} levels"
    match value:
        case str():
            fault = _fault_of_text(value)
        case float() if not math.isfinite(value):
            fault = "is not a finite number"
        case int() if value not in _BIGINT:
            fault = "is an integer that does not fit into 64 bits"
        case dict():
            for key, item in value.items():
                if (fault := _fault_of_text(key)) is not None:
                    return path or "body", f"has a field name that {fault}"
                below = f"{path}.{key}" if path else key
                if (found := find_fault(item, below, depth + 1)) is not None:
                    return found
            return None
        case list():
            for index, item in enumerate(value):
                if (found := find_fault(item, f"{path}[{index}]", depth + 1)) is not None:
                    return found
            return None
        case _:
            return None
    return None if fault is None else (path or "body", fault)


def _fault_of_text(text: str) -> str | None:
    if "\0" in text:
        return "contains the character U+0000, which cannot be stored"
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError:
            return "contains half of a surrogate pair, which is not a character"
    return None


def is_plain(document: bytes) -> bool:
    """Whether each text of a JSON document can be stored, as far as a quick look tells: it is UTF-8
    without escapes of code points. The parser itself refuses U+0000 that is not escaped."""
    # NUL: another encoding, in which an escape looks different.
    if b"\\u" in document or b"\0" in document:
        return False
    try:
        document.decode()
    except UnicodeDecodeError:
        return False
    return True


def is_json(content_type: str) -> bool:
    """Whether FastAPI reads a body of the type as JSON. It passes others on as bytes."""
    kind, _, subtype = content_type.partition(";")[0].strip().lower().partition("/")
    is_json_subtype = subtype == "json" or subtype.endswith("+json")
    return kind == "application" and is_json_subtype and "/" not in subtype
