"""How each voice is given the words of which an agent knows the phonemes. Pure.

Which voice speaks is known last, after the text was rewritten for any of them. Such a word comes as
its ``say_as`` between two marks, and the voice that is asked gets its phonemes instead if it takes
them. Marks are characters of Unicode's private use area: they are no part of any word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from contracts.agent_config import Pronunciation
from pipelines.texts.phonemes import Notation

_FIRST = 0xE000
_END = "\uf8ff"
_MARKED = re.compile(f"([\ue000-\uf8fe])([^\ue000-\uf8ff]*){_END}")
_MARK = re.compile("[\ue000-\uf8ff]")


def marked(index: int, say_as: str) -> str:
    """``say_as`` as the word of the agent's pronunciation ``index``."""
    return f"{chr(_FIRST + index)}{say_as}{_END}"


def without_marks(text: str) -> str:
    return _MARK.sub("", text)


class Spelling:
    """Of one voice. A text that comes in pieces may be cut anywhere."""

    def __init__(self, pronunciations: Sequence[Pronunciation], notation: Notation | None) -> None:
        """
        Args:
            pronunciations: the agent's, in the order in which they are marked.
            notation: the voice's; ``None`` if it takes no phonemes.
        """
        self._pronunciations = pronunciations
        self._notation = notation
        self._held = ""
        """The beginning of a marked word whose end is not there yet."""

    def whole(self, text: str) -> str:
        """``text`` as the voice gets it."""
        return without_marks(_MARKED.sub(self._written, text))

    def more(self, text: str) -> str:
        """The next piece of a text as the voice gets it, without a word that may go on."""
        text = self._held + text
        end = len(text)
        for mark in _MARK.finditer(text):
            word = self._word(mark[0])
            is_begun = word is not None and word.say_as.startswith(text[mark.end() :])
            end = mark.start() if is_begun else len(text)
        self._held = text[end:]
        return self.whole(text[:end])

    def rest(self) -> str:
        """What is held back when the text is over."""
        rest, self._held = self._held, ""
        return self.whole(rest)

    def _written(self, match: re.Match[str]) -> str:
        word, say_as = self._word(match[1]), match[2]
        # The text may hold such characters of its own.
        if self._notation is None or word is None or not word.ipa or word.say_as != say_as:
            return say_as
        return self._notation(say_as, word.ipa) or say_as

    def _word(self, mark: str) -> Pronunciation | None:
        index = ord(mark) - _FIRST
        return self._pronunciations[index] if index < len(self._pronunciations) else None
