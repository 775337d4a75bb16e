"""Brings text to the engine in short pieces, so that handling one does not delay other calls."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator

from pipelines.texts.utterance import MOST_CHARACTERS_OF_TEXT, TextPieces


async def in_pieces(text: AsyncIterable[str]) -> AsyncIterator[str]:
    """``text`` in the pieces of ``TextPieces``, and between them other calls get their turn.

    Ends after ``MOST_CHARACTERS_OF_TEXT``.
    """
    pieces = TextPieces()
    characters = 0
    async for chunk in text:
        for piece in pieces.take(chunk):
            characters += len(piece)
            if characters > MOST_CHARACTERS_OF_TEXT:
                return
            yield piece
            await asyncio.sleep(0)
    if rest := pieces.rest():
        yield rest
