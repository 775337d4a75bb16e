"""Extracts a web page's text.

Pure, but slow: run it in a thread.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_MOST_TAGS = 4_000
"""Start and end tags together. Extraction time grows with the square of this number."""
_CODE = re.compile(r"<(script|style|svg|template|noscript|iframe)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Extracted:
    """Both as the page has them, and empty if it has none."""

    text: str
    """Of the page's main part, a line for each paragraph."""
    description: str = ""
    """What the page says about itself to search engines."""
    is_cut: bool = False
    """Whether the page has more tags than are read for ``text``."""


def extracted(html: str) -> Extracted:
    """Never raises."""
    # The import takes half a second.
    import trafilatura
    from lxml.etree import LxmlError  # type: ignore[import-untyped]

    whole = without_code(html.replace("\0", ""))
    bounded = _bounded(whole)
    is_cut = len(bounded) < len(whole)
    try:
        found = trafilatura.bare_extraction(bounded, include_comments=False, favor_recall=True)
        metadata = trafilatura.extract_metadata(bounded)
    except (ValueError, TypeError, AttributeError, RecursionError, LxmlError):
        # The parser raises these on malformed pages.
        return Extracted("", is_cut=is_cut)
    return Extracted(
        str(getattr(found, "text", "") or ""),
        str(getattr(metadata, "description", "") or ""),
        is_cut,
    )


def without_code(html: str) -> str:
    """Takes linear time."""
    parts: list[str] = []
    at = 0
    while start := _CODE.search(html, at):
        parts.append(html[at : start.start()])
        end = re.compile(f"</{start[1]}", re.IGNORECASE).search(html, start.end())
        at = end.start() if end else len(html)
    return "".join((*parts, html[at:]))


def _bounded(html: str) -> str:
    """The page up to tag ``_MOST_TAGS``. Takes linear time."""
    tags = re.finditer("<", html)
    cut = next((m.start() for count, m in enumerate(tags) if count >= _MOST_TAGS), len(html))
    return html[:cut]
