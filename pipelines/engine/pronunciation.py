"""Rewrites words that the voice would pronounce wrongly, before they are spoken."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable

from contracts.agent_config import Pronunciation
from pipelines.engine.channels.tts.spelling import marked
from pipelines.texts import word_borders

_BLANK = re.compile(r"\s")


class PronunciationTable:
    """Replaces whole words by their ``say_as``, ignoring case. The longest entry wins."""

    def __init__(
        self, pronunciations: Iterable[Pronunciation], *, marks_phonemes: bool = False
    ) -> None:
        """
        Args:
            marks_phonemes: mark words with ``ipa``, because a voice may take it (``spelling``).
        """
        entries = {
            entry.word.casefold(): (
                entry.word,
                marked(index, entry.say_as) if entry.ipa and marks_phonemes else entry.say_as,
            )
            for index, entry in enumerate(pronunciations)
        }
        by_border: dict[str, list[tuple[str, str]]] = {}
        for word, say_as in sorted(entries.values(), key=lambda entry: len(entry[0]), reverse=True):
            by_border.setdefault(word_borders.before(word), []).append((word, say_as))
        found = [entry for same_border in by_border.values() for entry in same_border]
        self._say_as = [say_as for _, say_as in found]
        """In the order of the pattern's groups: case says more than that two words are the same."""
        self._pattern = re.compile(
            "|".join(
                f"{before}(?:{'|'.join(_group(word) for word, _ in same_border)})"
                for before, same_border in by_border.items()
            ),
            re.IGNORECASE,
        )
        self._most_words = max((len(word.split()) for word, _ in found), default=0)
        self._longest = max((len(word) for word, _ in found), default=0)

    def __bool__(self) -> bool:
        return bool(self._say_as)

    def rewrite(self, text: str) -> str:
        return self._pattern.sub(self._said, text) if self._say_as else text

    async def rewrite_stream(self, chunks: AsyncIterable[str]) -> AsyncIterator[str]:
        """Rewrite a text that comes in pieces. Holds back words that may be incomplete."""
        text, done = "", 0
        async for chunk in chunks:
            text += chunk
            spoken, done = self._rewrite_from(text, done, self._complete_until(text))
            if spoken:
                yield spoken
            # What stands before a word decides whether it is a whole one.
            text, done = text[max(0, done - 1) :], min(done, 1)
        spoken, _ = self._rewrite_from(text, done, len(text))
        if spoken:
            yield spoken

    def _complete_until(self, text: str) -> int:
        """The index before which an entry that begins there is complete."""
        held_words = max(1, self._most_words)
        blanks = deque((blank.start() for blank in _BLANK.finditer(text)), maxlen=held_words)
        until_blank = blanks[0] if len(blanks) == held_words else 0
        # Where no blanks are written, the longest entry and what follows it are there.
        return max(until_blank, len(text) - self._longest)

    def _rewrite_from(self, text: str, begin: int, end: int) -> tuple[str, int]:
        """What begins between the two indices, rewritten, and the index at which it ends: an entry
        may end after ``end``."""
        if not self._say_as:
            return text[begin:end], end
        pieces: list[str] = []
        position = begin
        while position < end:
            match = self._pattern.match(text, position)
            if match is None:
                pieces.append(text[position])
                position += 1
            else:
                pieces.append(self._said(match))
                position = match.end()
        return "".join(pieces), position

    def _said(self, match: re.Match[str]) -> str:
        assert match.lastindex is not None
        return self._say_as[match.lastindex - 1]


def _group(word: str) -> str:
    return f"({re.escape(word)}){word_borders.after(word)}"


def as_text_transform(
    table: PronunciationTable,
) -> Callable[[AsyncIterable[str]], AsyncIterable[str]]:
    """The table as one of the engine's text transforms."""
    return table.rewrite_stream
