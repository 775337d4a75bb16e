"""Rewrites words that the voice would pronounce wrongly, before they are spoken."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable

from contracts.agent_config import Pronunciation

_BLANK = re.compile(r"\s")


class PronunciationTable:
    """Replaces whole words by their ``say_as``, ignoring case. The longest entry wins.

    ``ipa`` is not used, because no voice of this release accepts phonemes.
    """

    def __init__(self, pronunciations: Iterable[Pronunciation]) -> None:
        self._say_as = {entry.word.casefold(): entry.say_as for entry in pronunciations}
        words = sorted(self._say_as, key=len, reverse=True)
        alternatives = "|".join(re.escape(word) for word in words)
        self._pattern = re.compile(rf"(?<!\w)(?:{alternatives})(?!\w)", re.IGNORECASE)
        self._most_blanks = max((len(word.split()) for word in words), default=0)

    def __bool__(self) -> bool:
        return bool(self._say_as)

    def rewrite(self, text: str) -> str:
        if not self._say_as:
            return text
        return self._pattern.sub(lambda match: self._say_as[match.group().casefold()], text)

    async def rewrite_stream(self, chunks: AsyncIterable[str]) -> AsyncIterator[str]:
        """Rewrite a text that comes in pieces. Holds back words that may be incomplete."""
        held = ""
        async for chunk in chunks:
            held += chunk
            cut = self._complete_until(held)
            if cut:
                yield self.rewrite(held[:cut])
                held = held[cut:]
        if held:
            yield self.rewrite(held)

    def _complete_until(self, text: str) -> int:
        """The index up to which no entry can be incomplete."""
        held_words = max(1, self._most_blanks)
        blanks = deque((blank.start() for blank in _BLANK.finditer(text)), maxlen=held_words)
        return blanks[0] if len(blanks) == held_words else 0


def as_text_transform(
    table: PronunciationTable,
) -> Callable[[AsyncIterable[str]], AsyncIterable[str]]:
    """The table as one of the engine's text transforms."""
    return table.rewrite_stream
