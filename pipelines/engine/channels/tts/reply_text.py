"""The text of one reply while it is written and spoken. Pure, but for who waits for it."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from collections.abc import Callable

from livekit.agents import tokenize

_WORD = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]|\S+")
"""Words, and single characters of scripts that are written without spaces."""
_LONGEST_SENTENCE = 400
"""In characters. A longer one is cut after a word and counts as several: the work of looking for
its end grows with the square of its length."""


def is_speakable(text: str) -> bool:
    """Whether a voice makes a sound of it."""
    return any(character.isalnum() for character in text)


def word_starts(text: str) -> list[int]:
    """Where the words of ``text`` begin that can be heard."""
    return [match.start() for match in _WORD.finditer(text) if is_speakable(match[0])]


class ReplyText:
    """Text arrives at the end of ``text``. Up to ``spoken`` it was spoken."""

    def __init__(self) -> None:
        self.text = ""
        self.spoken = 0
        self.is_complete = False
        self.whole_until = 0
        """Up to here the text consists of whole sentences, which a voice can speak."""
        self.on_text: Callable[[str], None] | None = None
        """Called with text that arrives."""
        self.on_sentence: Callable[[], None] | None = None
        """Called when ``whole_until`` has moved, and when the text is complete."""
        self._sentence_ends: deque[int] = deque()
        self._tokenizer = tokenize.blingfire.SentenceTokenizer(retain_format=True)
        self._changed = asyncio.Event()

    def add(self, text: str) -> None:
        begin = self.whole_until
        self.text += text
        if self.on_text is not None:
            self.on_text(text)
        *whole, _ = self._tokenizer.tokenize(self.text[self.whole_until :]) or [""]
        for sentence in whole:
            self._end_sentence(self.whole_until + len(sentence))
        self._cut_before(len(self.text))
        if self.whole_until > begin:
            self._announce()

    def complete(self) -> None:
        """No more text comes."""
        self.is_complete = True
        if self.whole_until < len(self.text):
            self._end_sentence(len(self.text))
        self._announce()

    @property
    def rest(self) -> str:
        """What was not spoken, as far as it is known."""
        return self.text[self.spoken :]

    @property
    def speakable(self) -> str:
        """The whole sentences that were not spoken."""
        return self.text[self.spoken : self.whole_until]

    async def next_sentence(self) -> str | None:
        """What comes next, up to the end of its sentence; ``None`` after the last one. Only one
        task may wait."""
        while True:
            while self._sentence_ends:
                if self._sentence_ends[0] > self.spoken:
                    return self.text[self.spoken : self._sentence_ends[0]]
                self._sentence_ends.popleft()
            if self.is_complete:
                return None
            self._changed.clear()
            await self._changed.wait()

    def _end_sentence(self, end: int) -> None:
        self._cut_before(end)
        self._end_part(end)

    def _cut_before(self, end: int) -> None:
        """Leave no more than one part up to ``end`` that is not whole."""
        while end - self.whole_until > _LONGEST_SENTENCE:
            self._end_part(self._last_word_end())

    def _last_word_end(self) -> int:
        """Of what is not whole: where its longest part ends."""
        latest = self.whole_until + _LONGEST_SENTENCE
        space = self.text.rfind(" ", self.whole_until, latest)
        return latest if space < 0 else space + 1

    def _end_part(self, end: int) -> None:
        self._sentence_ends.append(end)
        self.whole_until = end

    def _announce(self) -> None:
        self._changed.set()
        if self.on_sentence is not None:
            self.on_sentence()
