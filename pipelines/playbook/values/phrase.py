"""What a caller said, in the form that patterns are matched against.

Speech recognisers differ in case, punctuation, apostrophes and hesitations, so all of these are
removed: ``"Um, I'm free at 3PM."`` has the words ``im free at 3 pm``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from pipelines.playbook.values.numbers_in_words import Token, tokens
from pipelines.texts.utterance import FULL_STOPS

_HESITATIONS = frozenset("uh um uhm umm uhh erm er eh hm hmm mm ah huh".split())
_TAKEN = "|"
"""Replaces words that another recogniser has already used. No pattern matches it."""

_AMOUNT = r"(\d[\d,.]*(?:\s(?:hundred|thousand|million)\b)?)"
_REWRITES = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"[‘’`´]", "'"),
        (r"\bto-(morrow|day|night)\b", r"to\1"),
        (r"[–—…]", " "),
        (r"\b([ap])\.?\s?m\.?(?=[\s,.?!;]|$)", r"\1m"),
        (r"\b(uh|mm|mhm|m)[ -]?(huh|hm+|mhm)\b|\bmhm+\b", "yes"),
        (r"(?<=[$€£])(\d[\d,.]*)\s?k\b", r"\1 thousand"),
        (rf"[$]{_AMOUNT}", r"\1 dollars"),
        (rf"[€]{_AMOUNT}", r"\1 euros"),
        (rf"[£]{_AMOUNT}", r"\1 pounds"),
        (r"(?<=\d),(?=\d{3}\b)", ""),
        (r"(\d)([ap]m)\b", r"\1 \2"),
        (r"\b(\d{4})-(\d\d)-(\d\d)\b", r"\1/\2/\3"),
        # The hyphens of an e-mail address stay.
        (r"(?<!\S)(\S+(?:@| at (?=[a-z][\w-]*\.[a-z]{2}))\S+)|(?<=[^\W_])-(?=[^\W_])", r"\1 "),
        (r"\((\d+)\)", r" \1 "),
    )
)
_STOPS = f".,;:!?،؛、{FULL_STOPS}"
_EDGES = f"\"'()[]{{}}<>«»„“”「」『』-*¿¡{_STOPS}"
_QUESTION_MARKS = "?？\u061f"
_QUESTION_OPENERS = frozenset(
    (
        "what whats where wheres when whens who whos whose why how hows which is are do "
        "does did can could will would should has have may"
    ).split()
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """``surface`` has the recogniser's spelling. ``words`` are lowercase, without punctuation.
    ``stops`` are the indexes of words that punctuation followed."""

    surface: tuple[str, ...]
    words: tuple[str, ...]
    stops: frozenset[int]
    is_question: bool
    taken: frozenset[int] = frozenset()
    tokens: tuple[Token, ...] = field(init=False)
    text: str = field(init=False)
    """The words joined by single spaces, with numbers as digits."""

    def __post_init__(self) -> None:
        visible = [_TAKEN if i in self.taken else word for i, word in enumerate(self.words)]
        object.__setattr__(self, "tokens", tokens(visible))
        object.__setattr__(self, "text", " ".join(token.text for token in self.tokens))

    @property
    def plain(self) -> str:
        """The words joined by single spaces, with numbers as they were said."""
        return " ".join(self.words)

    @property
    def free(self) -> tuple[int, ...]:
        """Indexes of the words that no recogniser has used yet."""
        return tuple(i for i in range(len(self.words)) if i not in self.taken)

    def word_span(self, start: int, end: int) -> range:
        """The word indexes behind ``text[start:end]``."""
        first_token = self.text.count(" ", 0, start)
        last_token = self.text.count(" ", 0, max(end - 1, start))
        return range(self.tokens[first_token].first, self.tokens[last_token].last + 1)

    def without(self, used: Iterable[int]) -> Phrase:
        """The same phrase, with these words hidden from all patterns."""
        return Phrase(
            self.surface, self.words, self.stops, self.is_question, self.taken | frozenset(used)
        )

    def has(self, words: Collection[str]) -> bool:
        return any(word in words for word in self.words)


def phrase(said: str) -> Phrase:
    """Never raises. A text without words gives an empty phrase."""
    text = unicodedata.normalize("NFKC", said)
    for pattern, replacement in _REWRITES:
        text = pattern.sub(replacement, text)
    surface: list[str] = []
    words: list[str] = []
    stops: set[int] = set()
    for piece in text.split():
        bare = piece.strip(_EDGES)
        plain = bare.lower().replace("'", "")
        if plain and plain not in _HESITATIONS:
            surface.append(bare)
            words.append(plain)
        if words and piece[-1] in _STOPS:
            stops.add(len(words) - 1)
    is_marked = any(mark in said for mark in _QUESTION_MARKS)
    is_question = is_marked or (bool(words) and words[0] in _QUESTION_OPENERS)
    return Phrase(tuple(surface), tuple(words), frozenset(stops), is_question)


@dataclass(frozen=True, slots=True)
class Found:
    """A value that a recogniser found in a phrase."""

    value: str
    """Canonical, as it is stored."""
    spoken: str
    """The same value as the agent says it."""
    words: range
    """The indexes of the phrase's words that it was read from."""
    is_half_assumed: bool = False
    """It is a time of day of which the caller did not say whether it is before noon."""
