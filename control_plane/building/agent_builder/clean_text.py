"""Cleans text from a language model, a web page or a prompt before it becomes part of an agent.

What remains is plain words of limited length, without markup, templates, chat markers and control
characters. Variables that the owner wrote (``{{ first_name }}``) stay.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from control_plane.building.web_pages.printable import printable

LONGEST_TEXT = 4_000
_PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z]\w{0,63}(?:\.[A-Za-z]\w{0,63}){0,4})\s*\}\}")
_TEMPLATE = re.compile(r"\{\{.{0,500}?\}\}|\{%.{0,500}?%\}|\{#.{0,500}?#\}", re.DOTALL)
_MARK = re.compile(r"[{}]{2,}|\{[%#]|[%#]\}|<\||\|>")
_MOST_ROUNDS = 8
_SCRIPT = re.compile(r"<(script|style)\b.{0,5000}?(?:</\1\s*>|$)", re.DOTALL | re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z!][^<>]{0,500}>|<\|[^<>|]{0,80}\|>|\[/?(?:INST|SYS)\]|<</?SYS>>")
_LINK = re.compile(r"\b(?:[a-z][a-z0-9+.-]{1,20}://|www\.|javascript:|data:\w+/)\S+", re.IGNORECASE)


def placeholders_in(texts: Iterable[str]) -> frozenset[str]:
    """The names of the variables in ``texts``."""
    return frozenset(match[1] for text in texts for match in _PLACEHOLDER.finditer(text))


def clean_text(
    text: str,
    *,
    longest: int = LONGEST_TEXT,
    variables: Collection[str] = (),
    keep_links: bool = False,
) -> str:
    """Return the plain words of ``text``, which may be none.

    Args:
        longest: characters; longer text is cut at a word.
        variables: the names of variables that stay.
        keep_links: whether web addresses stay.
    """
    text = text[: longest * 4]
    parts: list[str] = []
    end = 0
    for match in _PLACEHOLDER.finditer(text):
        if match[1] in variables:
            parts += [_plain(text[end : match.start()], keep_links), f"{{{{ {match[1]} }}}}"]
            end = match.end()
    parts.append(_plain(text[end:], keep_links))
    joined = re.sub(r"[^\S\n]+", " ", "".join(parts))
    joined = re.sub(r"\n{3,}", "\n\n", re.sub(r" ?\n ?", "\n", joined)).strip()
    return _cut(joined, longest)


def clean_value(value: Any, *, variables: Collection[str] = (), keep_links: bool = False) -> Any:
    """Apply ``clean_text`` to every string inside parsed JSON. Keys stay as they are."""
    match value:
        case str():
            return clean_text(value, variables=variables, keep_links=keep_links)
        case Mapping():
            return {
                key: clean_value(item, variables=variables, keep_links=keep_links)
                for key, item in value.items()
            }
        case list() | tuple():
            return [clean_value(item, variables=variables, keep_links=keep_links) for item in value]
        case _:
            return value


def _plain(text: str, keep_links: bool) -> str:
    text = printable(text)
    # Removing one mark can join the halves of another.
    for _ in range(_MOST_ROUNDS):
        before = text
        text = _TAG.sub(" ", _TEMPLATE.sub(" ", _SCRIPT.sub(" ", text)))
        text = _MARK.sub(" ", text if keep_links else _LINK.sub(" ", text))
        if text == before:
            return text
    return re.sub(r"[{}<>\[\]]", " ", text)


def _cut(text: str, longest: int) -> str:
    """Cut at a word, and never in the middle of a placeholder."""
    if len(text) <= longest:
        return text
    cut = text[:longest]
    if cut.rfind("{{") > cut.rfind("}}"):
        cut = cut[: cut.rfind("{{")]
    head, _, tail = cut.rpartition(" ")
    return (head if head and len(tail) < 60 else cut).rstrip()
