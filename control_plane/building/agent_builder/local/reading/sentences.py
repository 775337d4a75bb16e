"""Splits a prompt into sentences.

Quoted speech stays whole, and a list of short bullet points becomes one sentence.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_QUOTES = (
    (re.compile(r"[“”„«»]"), '"'),
    (re.compile(r"[‘’]"), "'"),
    (re.compile(r"(?<!\w)'([^'\"\n]{3,300})'(?!\w)"), r'"\1"'),
)
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d{1,2}[.)])\s+")
_HEADING = re.compile(r"^\s*#+\s*|\*\*|__")
_LONGEST_LIST_ITEM_WORDS = 7
_ABBREVIATION = re.compile(
    r"\b(?:dr|mr|mrs|ms|st|no|e\.g|i\.e|etc|vs|approx|inc|ltd|co|a\.m|p\.m)\.$", re.IGNORECASE
)


def sentences(prompt: str) -> tuple[str, ...]:
    """The sentences in order, without bullets and surrounding blanks."""
    return tuple(
        sentence for line in _lines(normalised(prompt)) for sentence in _sentences_of(line)
    )


def normalised(prompt: str) -> str:
    """The prompt with plain quotation marks and composed characters (NFC)."""
    text = unicodedata.normalize("NFC", prompt)
    for pattern, replacement in _QUOTES:
        text = pattern.sub(replacement, text)
    return text


def _lines(text: str) -> Iterator[str]:
    """The lines; a heading that ends with a colon absorbs the short bullet points below it.

    For example ``Ask for: name, phone``.
    """
    heading, items = "", list[str]()
    for raw in [*text.splitlines(), ""]:
        is_bullet = bool(_BULLET.match(raw))
        line = _BULLET.sub("", _HEADING.sub("", raw)).strip()
        if heading and is_bullet and _is_list_item(line):
            items.append(line)
            continue
        if heading:
            yield f"{heading} {', '.join(items)}".strip()
            heading, items = "", []
        if line.endswith(":"):
            heading = line
        elif line:
            yield line


def _is_list_item(line: str) -> bool:
    return len(line.split()) <= _LONGEST_LIST_ITEM_WORDS and line[-1:] not in ".?!"


def _sentences_of(line: str) -> Iterator[str]:
    start, is_quoted = 0, False
    has_pairs = line.count('"') % 2 == 0
    for at, character in enumerate(line):
        if character == '"' and has_pairs:
            is_quoted = not is_quoted
        closes_quoted_sentence = (
            character == '"' and has_pairs and not is_quoted and line[at - 1 : at] in (*".?!",)
        )
        ends = character in ".?!;。？！" and not is_quoted
        if not (ends or closes_quoted_sentence):
            continue
        following = line[at + 1 : at + 3]
        if following[:1].strip() and character in ".?!;":
            continue
        if closes_quoted_sentence and following[1:].islower():
            continue
        if character == "." and _ABBREVIATION.search(line[max(0, at - 12) : at + 1]):
            continue
        if sentence := line[start : at + 1].strip():
            yield sentence
        start = at + 1
    if rest := line[start:].strip():
        yield rest
