"""How many words of a text were said, by what a recogniser understood or by time. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.engine.channels.tts.reply_text import word_starts

_SPOKEN_PART = 0.75
"""Of its letters: then a word counts as said."""
_SAME_WORD = 0.25
"""Of its letters may differ where a recogniser understood the same word."""
_INVENTED = 0.6
"""What a word costs that a recogniser understood after the last one that was said: it completes
what breaks off. A word that it misunderstood costs 1."""
_OFF_ESTIMATE = 0.1
"""What a word costs by which what was understood begins elsewhere than expected."""


@dataclass(frozen=True)
class SpeakableText:
    """The words of a text that can be heard, in letters and digits of lower case."""

    text: str
    words: tuple[str, ...]
    starts: tuple[int, ...]
    """Where each begins in ``text``."""

    @classmethod
    def of(cls, text: str) -> SpeakableText:
        starts = word_starts(text)
        ends = [*starts[1:], len(text)]
        words = tuple(letters_of(text[begin:end]) for begin, end in zip(starts, ends, strict=True))
        return cls(text, words, tuple(starts))

    def rest_after(self, words: int) -> int:
        """Where the text goes on after that many words."""
        return self.starts[words] if words < len(self.starts) else len(self.text)

    def words_within(self, characters: float) -> int:
        """How many words count as said if that many characters are."""
        for count, start in enumerate(self.starts):
            if start + _SPOKEN_PART * len(self.words[count]) > characters:
                return count
        return len(self.words)


@dataclass(frozen=True)
class Understood:
    words: int
    """Of the text, up to the last one that was understood."""
    invented: int
    """Words that were understood after it and are not in the text: what breaks off in a word is
    often understood as others."""


def understood(text: SpeakableText, heard: str, first_expected: int = 0) -> Understood:
    """What a recogniser has understood of ``text``.

    Args:
        first_expected: about the first word that is in its sound.
    """
    said = [letters for word in heard.split() if (letters := letters_of(word))]
    places = range(len(text.words) + 1)
    if first_expected:
        costs = [_OFF_ESTIMATE * abs(place - first_expected) for place in places]
    else:
        costs = [float(place) for place in places]
    best = min((costs[place] + _INVENTED * len(said), place, len(said)) for place in places)
    for count, word in enumerate(said, start=1):
        costs = _next_row(costs, word, text.words)
        left = len(said) - count
        best = min(best, *((costs[place] + _INVENTED * left, place, left) for place in places))
    return Understood(best[1], best[2])


def letters_of(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _next_row(costs: Sequence[float], word: str, words: Sequence[str]) -> list[float]:
    """The costs to understand one word more, for each number of words said (Levenshtein)."""
    row = [costs[0] + 1]
    for place, other in enumerate(words):
        same = costs[place] + (0.0 if _is_same(word, other) else 1.0)
        row.append(min(same, costs[place + 1] + 1, row[place] + 1))
    return row


def _is_same(word: str, other: str) -> bool:
    most = int(_SAME_WORD * max(len(word), len(other)))
    if word == other:
        return True
    if not most or abs(len(word) - len(other)) > most:
        return False
    row = list(range(len(other) + 1))
    for place, letter in enumerate(word, start=1):
        above, row[0] = row[0], place
        for index, compared in enumerate(other, start=1):
            changed = above + (letter != compared)
            above, row[index] = row[index], min(row[index] + 1, row[index - 1] + 1, changed)
    return row[-1] <= most
