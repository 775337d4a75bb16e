"""Cuts a document into passages along its own structure.

Pure, but slow with hostile documents: ``knowledge.parsing`` runs it in a child process.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.passages import Passage

LEAST_CHARACTERS = 350
MOST_CHARACTERS = 800
"""Of a passage. The embedding model reads some 200 words; the rest would not be found by it."""
MOST_PASSAGES = 20_000
"""Of one document."""

_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_LONGEST_HEADING = 160
_BETWEEN, _ALSO = " › ", "; "
_MOST_AT_ONCE = 20_000
"""Characters that the splitter gets: its time grows faster than the text."""


class TooManyPassages(Exception):
    """The document has more than ``MOST_PASSAGES``."""


def passages_of(markdown: str, title: str) -> tuple[Passage, ...]:
    """The passages of a document, in its order. One that the document repeats is kept once, with
    the headings of all places: "Yes." answers each question above it. Where these make the passage
    too long, there is another one.

    Lists, paragraphs and table rows stay whole where they fit.

    Raises:
        TooManyPassages: so that one document cannot fill an agent's whole memory.
    """
    # The import takes a while, and only ingestion needs it.
    from semantic_text_splitter import MarkdownSplitter

    splitter = MarkdownSplitter((LEAST_CHARACTERS, MOST_CHARACTERS))
    found: list[Passage] = []
    seen: set[tuple[str, str]] = set()
    latest: dict[str, int] = {}
    for headings, body in _sections(markdown):
        context = _BETWEEN.join(part for part in (title, *headings) if part)
        for text in (text for part in _parts(body) for text in splitter.chunks(part)):
            key = " ".join(text.split()).casefold()
            if not key or (key, context) in seen:
                continue
            seen.add((key, context))
            at = latest.get(key)
            if at is not None:
                contexts = _ALSO.join(part for part in (found[at].context, context) if part)
                if len(contexts) + len(text) <= MOST_CHARACTERS:
                    found[at] = Passage(contexts, found[at].text)
                    continue
            latest[key] = len(found)
            found.append(Passage(context, text.strip()))
            if len(found) > MOST_PASSAGES:
                raise TooManyPassages
    return tuple(found)


def _sections(markdown: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The headings above each part of the document that has none inside, and the part."""
    above: list[tuple[int, str]] = []
    lines: list[str] = []
    fence = ""
    for line in markdown.splitlines():
        marker = _FENCE.match(line)
        if marker:
            fence = "" if fence == marker[1] else fence or marker[1]
        heading = None if fence else _HEADING.match(line)
        if heading is None:
            lines.append(line)
            continue
        if any(map(str.strip, lines)):
            yield tuple(text for _, text in above), "\n".join(lines)
        lines = []
        level = len(heading[1])
        above = [part for part in above if part[0] < level]
        above.append((level, heading[2].strip()[:_LONGEST_HEADING]))
    if any(map(str.strip, lines)):
        yield tuple(text for _, text in above), "\n".join(lines)


def _parts(body: str) -> Iterator[str]:
    """``body`` in parts of ``_MOST_AT_ONCE``, cut at a blank line, a line's end or a space."""
    at = 0
    while len(body) - at > _MOST_AT_ONCE:
        least, most = at + _MOST_AT_ONCE // 2, at + _MOST_AT_ONCE
        ends = (body.rfind(end, least, most) for end in ("\n\n", "\n", " "))
        cut = next((end for end in ends if end > 0), most)
        yield body[at:cut]
        at = cut
    yield body[at:]
