"""From what was sent to a bundle: read, cut, embedded, stored. Reading is in a child process."""

from __future__ import annotations

import asyncio
import hashlib
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from control_plane.building.web_pages.extraction import extracted, without_code
from control_plane.building.web_pages.fetching import Page, PageNotRead, Validators, fetch_page
from knowledge.embedding.embedder import Embedder
from knowledge.parsing.formats import Format
from knowledge.parsing.problems import NO_TEXT, Unreadable
from knowledge.parsing.sandbox import read_document
from knowledge.passages import Passage
from outbound.policy import OutboundPolicy

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_PASSAGES_AT_ONCE = 128
Progress = Callable[[float], Awaitable[None]]
"""Is told the share of the passages that are embedded."""


class PageText(NamedTuple):
    text: bytes
    format: Format
    validators: Validators


async def page_text(address: str, policy: OutboundPolicy, known: Validators) -> PageText:
    """The main text of a web page. One that has too many tags for that comes whole, as HTML: what
    stands around its text does less harm than a part that is missing.

    Args:
        known: of the version that was read before.

    Raises:
        Unreadable: it cannot be fetched, or has no text.
        PageUnchanged: it is ``known``.
    """
    try:
        page = await fetch_page(address, policy, known=known)
    except PageNotRead as error:
        raise Unreadable(str(error)) from error
    text, kind = await asyncio.to_thread(_text_of, page)
    if not text.strip():
        raise Unreadable(NO_TEXT)
    return PageText(text.encode(), kind, page.validators)


async def passages_of(content: bytes, kind: Format, title: str) -> tuple[Passage, ...]:
    """Raises ``Unreadable``."""
    with tempfile.TemporaryDirectory(prefix="knowledge-") as folder:
        file = Path(folder) / "document"
        await asyncio.to_thread(file.write_bytes, content)
        return await read_document(file, kind, title)


async def bundle_of(passages: Sequence[Passage], embedder: Embedder, tell: Progress) -> bytes:
    """The bundle of a source.

    Raises:
        EmbeddingUnavailable, EmbeddingFailed
    """
    import numpy as np

    from knowledge.bundle import packed

    parts: list[NDArray[np.float32]] = []
    for start in range(0, len(passages), _PASSAGES_AT_ONCE):
        texts = [passage.searched for passage in passages[start : start + _PASSAGES_AT_ONCE]]
        parts.append(await asyncio.to_thread(embedder.embed, texts))
        await tell(min(1.0, (start + len(texts)) / len(passages)))
    return await asyncio.to_thread(packed, passages, np.concatenate(parts), embedder.model)


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _text_of(page: Page) -> tuple[str, Format]:
    if not page.is_html:
        return page.text, Format.MD
    found = extracted(page.text)
    if found.is_cut:
        return without_code(page.text), Format.HTML
    return found.text or found.description, Format.MD
