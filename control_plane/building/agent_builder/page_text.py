"""Extracts a company's description and short passages from a web page.

Pure, but slow: run it in a thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from control_plane.building.agent_builder.clean_text import clean_text, without_commands

MOST_PASSAGES = 20
_LONGEST_PASSAGE = 600
_LONGEST_DESCRIPTION = 1_000
_SHORTEST_PASSAGE_LETTERS = 25
_MOST_TAGS = 4_000
"""Start and end tags together. Extraction time grows with the square of this number."""
_CODE = re.compile(r"<(script|style|svg|template|noscript|iframe)\b", re.IGNORECASE)


@dataclass(frozen=True)
class PageText:
    description: str
    passages: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join((self.description, *self.passages)).strip()


def read_page(html: str) -> PageText:
    """Return the plain text of the page, which may be empty. Never raises."""
    # The import takes half a second.
    import trafilatura
    from lxml.etree import LxmlError  # type: ignore[import-untyped]

    html = _bounded(html.replace("\0", ""))
    try:
        found = trafilatura.bare_extraction(html, include_comments=False, favor_recall=True)
        metadata = trafilatura.extract_metadata(html)
    except (ValueError, TypeError, AttributeError, RecursionError, LxmlError):
        # The parser raises these on malformed pages.
        return PageText("", ())
    text = str(getattr(found, "text", "") or "")
    passages = tuple(
        dict.fromkeys(passage for part in text.split("\n") if (passage := _kept(part)))
    )
    described = str(getattr(metadata, "description", "") or "")
    description = _plain(described, _LONGEST_DESCRIPTION)
    if not description:
        description = " ".join(passages[:2])[:_LONGEST_DESCRIPTION]
    return PageText(description, tuple(p for p in passages if p != description)[:MOST_PASSAGES])


def _bounded(html: str) -> str:
    """The page without code, cut at tag ``_MOST_TAGS``. Takes linear time."""
    parts: list[str] = []
    at = 0
    while start := _CODE.search(html, at):
        parts.append(html[at : start.start()])
        end = re.compile(f"</{start[1]}", re.IGNORECASE).search(html, start.end())
        at = end.start() if end else len(html)
    text = "".join((*parts, html[at:]))
    tags = re.finditer("<", text)
    cut = next((m.start() for count, m in enumerate(tags) if count >= _MOST_TAGS), len(text))
    return text[:cut]


def plain_page(text: str) -> PageText:
    """Like ``read_page``, for a page that is plain text."""
    passages = tuple(p for part in re.split(r"\n+", text[:100_000]) if (p := _kept(part)))
    return PageText(" ".join(passages[:2])[:_LONGEST_DESCRIPTION], passages[:MOST_PASSAGES])


def _kept(part: str) -> str:
    """The cleaned passage; empty if it is too short, as menus and buttons are."""
    passage = _plain(part.lstrip("-*•| "), _LONGEST_PASSAGE)
    letters = sum(character.isalpha() for character in passage)
    return passage if letters >= _SHORTEST_PASSAGE_LETTERS else ""


def _plain(text: str, longest: int) -> str:
    return without_commands(" ".join(clean_text(text, longest=longest).split()))
