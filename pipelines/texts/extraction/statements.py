"""Splits a prompt into headings and sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.texts.extraction.topics import Topic, topic_of

MAX_SENTENCE_CHARACTERS = 1_000
"""Longer sentences are kept as they are: no rule reads them."""
_MAX_LINE_CHARACTERS = 20_000
_MAX_HEADING_WORDS = 7

QUOTED = re.compile(
    r"\"([^\"\n]{1,800})\"|“([^”\n]{1,800})”|«([^»\n]{1,800})»"
    r"|(?<!\w)['‘](?=\S)([^\n]{1,300}?)(?<=\S)['’](?!\w)"
)
_BULLET = re.compile(
    r"^\s*(?:[-*•–—▪‣>]+\s+|\(?\d{1,3}[.)]\s+|\(?[a-zA-Z][.)]\s+|step \d{1,3}\s*[:.)-]\s*)(?=\S)",
    re.IGNORECASE,
)
_MARKED_HEADING = re.compile(r"^\s*(?:#{1,6}\s*(?P<hash>.+?)\s*#*|\[(?P<box>[^\[\]]+)\])\s*$")
_TAG_HEADING = re.compile(r"^\s*<(?P<end>/?)(?P<name>[A-Za-z][\w -]{0,40})>\s*$")
_BOLD_HEADING = re.compile(r"^\s*(?:\*\*|__)(?P<bold>[^*_]+?)(?:\*\*|__)\s*:?\s*$")
_RULER = re.compile(r"^\s*[-=_*~#]{3,}\s*$")
_EMPHASIS = re.compile(r"(?<!\w)(\*\*|__|\*|`)(?=\S)([^*`\n]{1,400}?)(?<=\S)\1(?!\w)")
_SENTENCE_END = re.compile(r"[.!?…]+[\"”’')\]]*(?=\s|$)")
_ABBREVIATION = re.compile(
    r"(?:\b(?:dr|mr|mrs|ms|st|no|vs|etc|e\.g|i\.e|approx|inc|ltd|co|jr|sr)|\b[A-Za-z])\.$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """One sentence, or a heading (``is_heading``), with the heading above it."""

    text: str
    topic: Topic | None = None
    heading: str = ""
    is_item: bool = False
    is_heading: bool = False


def statements(prompt: str) -> Iterator[Statement]:
    """Every non-blank line of ``prompt``, in order, sentence by sentence."""
    heading, lead_in = "", ""
    for line in prompt.splitlines():
        if not line.strip() or _RULER.match(line):
            lead_in = lead_in if not line.strip() else ""
            continue
        if (found := heading_of(line)) is not None:
            heading, lead_in = found, ""
            if found:
                yield Statement(found, topic_of(found), found, is_heading=True)
            continue
        is_item = is_bullet(line)
        text = without_bullet(line)
        if not is_item:
            lead_in = ""
        under = lead_in or heading
        if text.endswith(":") and not is_item:
            lead_in = text.rstrip(": ")
            yield Statement(lead_in, topic_of(lead_in), heading, is_heading=True)
            continue
        if is_item and topic_of(under) is Topic.OBJECTIONS and len(text) <= MAX_SENTENCE_CHARACTERS:
            # What is answered to an objection may be several sentences.
            yield Statement(text, Topic.OBJECTIONS, under, is_item)
            continue
        for piece in _pieces(text):
            for sentence in sentences(piece):
                yield Statement(sentence, topic_of(under), under, is_item)


def sentences(text: str) -> Iterator[str]:
    """``text`` split into sentences. Quotations are not split."""
    ends = list(_SENTENCE_END.finditer(text))
    quoted = [match.span() for match in QUOTED.finditer(text)] if ends else []
    start = 0
    for end in ends:
        inside = any(first < end.start() and end.end() < last for first, last in quoted)
        if inside or _ABBREVIATION.search(text[max(start, end.start() - 8) : end.start() + 1]):
            continue
        if sentence := text[start : end.end()].strip():
            yield sentence
        start = end.end()
    if rest := text[start:].strip():
        yield rest


def heading_of(line: str) -> str | None:
    """The heading's words; ``""`` at the end of a tagged section; ``None`` for other lines."""
    if tag := _TAG_HEADING.match(line):
        return "" if tag["end"] else tag["name"].replace("_", " ")
    marked = _MARKED_HEADING.match(line) or _BOLD_HEADING.match(line)
    if marked is not None:
        found = next(text for text in marked.groups() if text)
        return _EMPHASIS.sub(r"\2", found).strip(" :*_") or None
    text = line.strip()
    words = text.rstrip(":")
    is_short = 0 < len(words.split()) <= _MAX_HEADING_WORDS and not words.endswith((".", "?"))
    if is_short and text.endswith(":") and topic_of(text) is not None and not _BULLET.match(line):
        return text.rstrip(": ")
    if is_short and text.isupper() and len(text) > 2 and not _BULLET.match(line):
        return text.rstrip(": ")
    return None


def is_bullet(line: str) -> bool:
    return _BULLET.match(line) is not None


def without_bullet(line: str) -> str:
    """The line's words, without its bullet and without emphasis."""
    return _EMPHASIS.sub(r"\2", _BULLET.sub("", line).strip())


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), _MAX_LINE_CHARACTERS):
        yield text[start : start + _MAX_LINE_CHARACTERS]
