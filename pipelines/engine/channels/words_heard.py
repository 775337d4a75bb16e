"""How much of a text was said, by what a recogniser understood or by the time it took. Pure."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pipelines.engine.channels.reply_text import word_starts

_OFF_ESTIMATE = 0.05
"""What a letter of distance from the estimate weighs against a letter that differs."""
_SPOKEN_PART = 0.75
"""Of its letters: then a word counts as said."""
_SAME_WORD = 0.3
"""Of its letters may differ where a recogniser understood the same word."""


@dataclass(frozen=True)
class SpeakableText:
    """The words of a text that can be heard, as letters and digits in lower case."""

    text: str
    letters: str
    starts: tuple[int, ...]
    """Where the words begin in ``text``."""
    ends: tuple[int, ...]
    """How many letters there are up to the end of each word."""

    @classmethod
    def of(cls, text: str) -> SpeakableText:
        starts = word_starts(text)
        words = [
            letters_of(text[begin:end])
            for begin, end in zip(starts, [*starts[1:], len(text)], strict=True)
        ]
        ends = tuple(int(end) for end in np.cumsum([len(word) for word in words]))
        return cls(text, "".join(words), tuple(starts), ends)

    def rest_after(self, words: int) -> int:
        """Where the text goes on after that many words."""
        return self.starts[words] if words < len(self.starts) else len(self.text)

    def words_within(self, letters: float) -> int:
        """How many words count as said if that many letters are."""
        begin = 0
        for count, end in enumerate(self.ends):
            if begin + _SPOKEN_PART * (end - begin) > letters:
                return count
            begin = end
        return len(self.ends)

    def letters_until(self, word: int) -> int:
        return self.ends[word - 1] if word else 0

    def word(self, index: int) -> str:
        return self.letters[self.letters_until(index) : self.ends[index]]


def letters_of(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def letters_heard(
    spoken: SpeakableText, heard: str, expected: float, *, from_beginning: bool = True
) -> int:
    """How many letters were said when a recogniser understood ``heard``.

    Args:
        expected: about how many. Decides between places that fit equally well.
        from_beginning: whether ``heard`` begins with the text, and not anywhere in it.
    """
    understood = letters_of(heard)
    if not understood or not spoken.letters:
        return 0
    target = np.frombuffer(spoken.letters.encode("utf-32-le"), np.uint32)
    places = np.arange(target.size + 1)
    # The distance of what was understood so far from what ends at each place (Levenshtein).
    distance = places.astype(np.float64) if from_beginning else np.zeros(places.size)
    for letter in np.frombuffer(understood.encode("utf-32-le"), np.uint32):
        changed = distance + 1
        changed[1:] = np.minimum(changed[1:], distance[:-1] + (target != letter))
        distance = np.minimum.accumulate(changed - places) + places
    return int(np.argmin(distance + _OFF_ESTIMATE * np.abs(places - expected)))


def ends_with_word(heard: str, word: str) -> bool:
    """Whether the last word that a recogniser understood is ``word``."""
    last = letters_of(heard.split()[-1]) if heard.split() else ""
    if not last:
        return False
    row = list(range(len(word) + 1))
    for place, letter in enumerate(last, start=1):
        above, row[0] = row[0], place
        for index, other in enumerate(word, start=1):
            above, row[index] = (
                row[index],
                min(row[index] + 1, row[index - 1] + 1, above + (letter != other)),
            )
    return row[-1] <= _SAME_WORD * max(len(word), len(last))
