"""How much text an agent says at once, and in which pieces the engine gets it. Pure.

The engine splits what it holds into words and sentences again with every piece that it gets, so its
work grows with the square of the text. Bounded pieces and utterances keep it small, whatever a
model writes or a variable holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

MOST_CHARACTERS = 2_000
"""Of an utterance. They take about two minutes to say."""
MOST_UTTERANCES = 5
"""Of one text. The rest is not said."""
MOST_CHARACTERS_OF_TEXT = MOST_CHARACTERS * MOST_UTTERANCES
LONGEST_PIECE = 64
"""Also the longest word that is said in one piece."""

FULL_STOPS = "。！？｡।॥\u061f\u06d4\u0589\u1362\u104b\u17d4"
"""Signs that do nothing but end sentences: of Chinese and Japanese, Hindi, Arabic (\u061f), Urdu
(\u06d4), Armenian, Amharic, Burmese and Khmer. Others, as in "3.5", do where a space follows."""
SENTENCE_END = re.compile(rf"[.!?…{FULL_STOPS}][\"'”’»)\]]*\s*$")
INNER_SENTENCE_END = re.compile(rf"[.!?…][\"'”’»)\]]*\s|[{FULL_STOPS}\n]")
"""The end of a sentence behind which there is more."""
_PIECE = re.compile(
    rf"""
      .{{0,{LONGEST_PIECE - 3}}}? [.!?…{FULL_STOPS}] ["'”’»)\]]? \s  # to the end of a sentence
    | .{{0,{LONGEST_PIECE - 1}}} [\s，。！？；：、]  # whole words
    | \S{{1,{LONGEST_PIECE}}}  # a part of a word
    """,
    re.VERBOSE | re.DOTALL,
)
WRITTEN_WITHOUT_SPACES = (
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef]"
)
"""A pattern: one character of a script that puts no spaces between words."""
_ENDS_WITHOUT_SPACES = re.compile(f"{WRITTEN_WITHOUT_SPACES}$")


class TextPieces:
    """Cuts a text that arrives bit by bit into pieces of at most ``LONGEST_PIECE`` characters.

    A piece ends with a sentence or else with a word. Put together the pieces are the text, except
    that an overlong word gets a space wherever it is cut.
    """

    def __init__(self) -> None:
        self._held = ""

    def take(self, text: str) -> Iterator[str]:
        """The pieces that are whole with these characters. A word that may go on is held back."""
        text = self._held + text
        taken = 0
        for match in _PIECE.finditer(text):
            piece, end = match[0], match.end()
            if end == len(text) and not piece[-1].isspace():
                break
            taken = end
            yield _spaced(piece, text[end : end + 1])
        self._held = text[taken:]

    def rest(self) -> str:
        """What is held back when the text is over."""
        rest, self._held = self._held, ""
        return rest


class PartLength:
    """Says where parts of at most ``most`` characters end: with a sentence if possible, else with a
    word."""

    def __init__(self, most: int) -> None:
        self._last_piece_at = most - LONGEST_PIECE - 1
        self._enough = most * 3 // 4
        self._characters = 0

    def ends_with(self, piece: str) -> bool:
        """Whether the part ends with this next piece of ``TextPieces``."""
        self._characters += len(piece)
        is_over = self._characters > self._last_piece_at or (
            self._characters > self._enough and SENTENCE_END.search(piece) is not None
        )
        if is_over:
            self._characters = 0
        return is_over


def parts(text: str, most: int) -> Iterator[str]:
    """``text`` in parts of at most ``most`` characters, split at sentences, else at words, else
    anywhere."""
    length = PartLength(most)
    part: list[str] = []
    pieces = TextPieces()
    for piece in pieces.take(text):
        part.append(piece)
        if length.ends_with(piece):
            yield "".join(part)
            part = []
    if last := "".join([*part, pieces.rest()]):
        yield last


def utterances(text: str) -> list[str]:
    """What is said of ``text``, one after the other."""
    return list(islice(parts(text.strip(), MOST_CHARACTERS), MOST_UTTERANCES))


def _spaced(piece: str, following: str) -> str:
    is_cut = bool(following) and not following.isspace() and not piece[-1].isspace()
    return f"{piece} " if is_cut and not _ENDS_WITHOUT_SPACES.search(piece) else piece
