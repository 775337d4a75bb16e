"""How large a tenant's JSON Schema may be once its references are replaced by what they name. Pure.

The text of a schema says little about what it costs: 20 definitions that each name the next one
twice are 1.6 KB, and a million checks.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urldefrag, urljoin

MAX_BYTES = 32_768
MAX_DEPTH = 64
"""Arrays and objects inside each other, references replaced."""
MAX_NODES = 10_000
"""Arrays and objects, references replaced."""
MAX_REFERENCES = 1_000
"""References followed while replacing them."""
_REFERENCES = ("$ref", "$dynamicRef", "$recursiveRef")
_LONGEST_SHOWN = 100
_ANCHORS = ("$anchor", "$dynamicAnchor")


def fault_of_size(schema: Mapping[str, Any]) -> str | None:
    """Which limit ``schema`` exceeds, or which of its addresses is not a URL, as the end of a
    sentence; ``None`` if neither."""
    if len(json.dumps(schema, ensure_ascii=False).encode()) > MAX_BYTES:
        return f"must have at most {MAX_BYTES} bytes"
    try:
        _Expansion(schema).walk(schema, "", 1, ())
    except (_Exceeded, _NotAUrl) as fault:
        return str(fault)
    return None


class _Exceeded(Exception):
    pass


class _NotAUrl(Exception):
    pass


class _Expansion:
    """Walks a schema as it is with its references replaced, up to the limits.

    A reference to something that is being replaced already ends there: such a schema is recursive,
    and how deep it goes depends on the data. References to nowhere are left to the compiler.
    """

    def __init__(self, schema: Mapping[str, Any]) -> None:
        self._targets: dict[str, Any] = {}
        self._bases: dict[int, str] = {}
        self._nodes = self._references = 0
        self._collect(schema, "", 1)

    def walk(self, node: Any, base: str, depth: int, inside: tuple[int, ...]) -> None:
        if not isinstance(node, Mapping | list):
            return
        self._nodes += 1
        if self._nodes > MAX_NODES:
            raise _Exceeded(
                f"must have at most {MAX_NODES} arrays and objects after each `$ref` is replaced "
                "by what it names"
            )
        _check_depth(depth)
        if isinstance(node, Mapping):
            base = self._bases.get(id(node), base)
            self._follow(node, base, depth, inside)
        for child in _children(node):
            self.walk(child, base, depth + 1, inside)

    def _follow(
        self, node: Mapping[str, Any], base: str, depth: int, inside: tuple[int, ...]
    ) -> None:
        for keyword in _REFERENCES:
            reference = node.get(keyword)
            target = self._target(reference, base) if isinstance(reference, str) else None
            if target is None or id(target) in inside:
                continue
            self._references += 1
            if self._references > MAX_REFERENCES:
                raise _Exceeded(
                    f"must have at most {MAX_REFERENCES} references after each `$ref` is replaced "
                    "by what it names"
                )
            self.walk(target, base, depth + 1, (*inside, id(target)))

    def _target(self, reference: str, base: str) -> Any:
        if reference.startswith("#"):
            address, fragment = base, reference[1:]
        else:
            address, fragment = _joined(base, reference)
        if not fragment.startswith("/"):
            return self._targets.get(f"{address}#{fragment}")
        node = self._targets.get(f"{address}#")
        for name in unquote(fragment)[1:].split("/"):
            name = name.replace("~1", "/").replace("~0", "~")
            if isinstance(node, Mapping):
                node = node.get(name)
            elif isinstance(node, list):
                node = _item(node, name)
            else:
                return None
        return node

    def _collect(self, node: Any, base: str, depth: int) -> None:
        """Note what references can name: documents by ``$id``, and anchors."""
        _check_depth(depth)
        if isinstance(node, Mapping):
            own = node.get("$id", node.get("id"))
            if isinstance(own, str):
                base, _ = _joined(base, own)
            if isinstance(own, str) or depth == 1:
                self._bases[id(node)] = base
                self._targets.setdefault(f"{base}#", node)
            for keyword in _ANCHORS:
                if isinstance(anchor := node.get(keyword), str):
                    self._targets.setdefault(f"{base}#{anchor}", node)
        for child in _children(node):
            self._collect(child, base, depth + 1)


def _joined(base: str, reference: str) -> tuple[str, str]:
    """The address of the document that ``reference`` leads to, and the fragment in it."""
    try:
        address, fragment = urldefrag(urljoin(base, reference))
    except ValueError:
        shown = reference[:_LONGEST_SHOWN]
        raise _NotAUrl(f"has a reference or an `$id` that is not a URL: '{shown}'") from None
    return address, fragment


def _item(node: list[Any], name: str) -> Any:
    try:
        return node[int(name)] if name.isdecimal() else None
    except (ValueError, IndexError):  # More digits than ``int`` takes, or beyond the end.
        return None


def _check_depth(depth: int) -> None:
    if depth > MAX_DEPTH:
        raise _Exceeded(
            f"must have at most {MAX_DEPTH} arrays and objects inside each other after each `$ref` "
            "is replaced by what it names"
        )


def _children(node: Any) -> Iterator[Any]:
    if isinstance(node, Mapping):
        yield from node.values()
    elif isinstance(node, list):
        yield from node
