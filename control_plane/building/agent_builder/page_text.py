"""Extracts a company's description and short passages from a web page.

Pure, but slow: run it in a thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from control_plane.building.agent_builder.clean_text import clean_text
from control_plane.building.web_pages.extraction import extracted
from pipelines.texts.model_commands import without_commands

MOST_PASSAGES = 20
_LONGEST_PASSAGE = 600
_LONGEST_DESCRIPTION = 1_000
_SHORTEST_PASSAGE_LETTERS = 25


@dataclass(frozen=True)
class PageText:
    description: str
    passages: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join((self.description, *self.passages)).strip()


def read_page(html: str) -> PageText:
    """Return the plain text of the page, which may be empty. Never raises."""
    found = extracted(html)
    passages = tuple(
        dict.fromkeys(passage for part in found.text.split("\n") if (passage := _kept(part)))
    )
    description = _plain(found.description, _LONGEST_DESCRIPTION)
    if not description:
        description = " ".join(passages[:2])[:_LONGEST_DESCRIPTION]
    return PageText(description, tuple(p for p in passages if p != description)[:MOST_PASSAGES])


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
