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


def extracted(html: str) -> Extracted:
    """Never raises."""
    # The import takes half a second.
    import trafilatura
    from lxml.etree import LxmlError  # type: ignore[import-untyped]

    html = _bounded(html.replace("\0", ""))
    try:
        found = trafilatura.bare_extraction(html, include_comments=False, favor_recall=True)
        metadata = trafilatura.extract_metadata(html)
    except (ValueError, TypeError, AttributeError, RecursionError, LxmlError):
        # The parser raises these on malformed pages.
        return Extracted("")
    return Extracted(
        str(getattr(found, "text", "") or ""), str(getattr(metadata, "description", "") or "")
    )


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
