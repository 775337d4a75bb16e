"""Searches bundles by meaning and by words, and joins both by reciprocal rank.

Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
Rank Learning Methods", SIGIR 2009.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowledge.bundle import Bundle
from knowledge.passages import Passage
from knowledge.search.terms import terms

MOST_FOUND = 50
"""Passages of each of the two lists that are joined."""
_RANK_CONSTANT = 60
_ROWS_AT_ONCE = 512
"""Vectors that are widened to float32 at once: 0.8 MB, which fit into a core's cache."""
_WIDENED_SCALE = np.float32(2.0**112)
"""By which the bits of a float16, moved into a float32, are too small: their exponents' biases
differ by 112."""
_MOST_TERMS = 64


Vectors = Mapping[str, NDArray[np.float32]]
"""One unit vector by each model."""


@dataclass(frozen=True)
class Source:
    """A source with its bundle."""

    source_id: str
    title: str
    bundle: Bundle


@dataclass(frozen=True, slots=True)
class Found:
    """A passage, and why it was found.

    Args:
        score: of both lists together; higher is better, and comparable within one search only.
        similarity: the cosine between question and passage, -1 to 1.
        word_score: BM25, 0 if the passage has no word of the question.
    """

    passage: Passage
    source_id: str
    source_title: str
    score: float
    similarity: float
    word_score: float


@dataclass(frozen=True)
class Library:
    """What one agent can look up: its sources, searched as one."""

    sources: Sequence[Source]

    @cached_property
    def models(self) -> frozenset[str]:
        """That the bundles were made with: two, while passages are embedded again."""
        return frozenset(source.bundle.model for source in self.sources)

    def search(self, question: str, vectors: Vectors, most: int = 5) -> tuple[Found, ...]:
        """The passages that answer ``question`` best.

        Args:
            vectors: of the question, by model. Passages of a model without one are found by their
                words only.
        """
        similarities, word_scores = self.by_meaning(vectors), self.by_words(question)
        joined: defaultdict[int, float] = defaultdict(float)
        for ranking in (best(similarities), best(word_scores)):
            for rank, row in enumerate(ranking, 1):
                joined[row] += 1 / (_RANK_CONSTANT + rank)
        rows = sorted(joined, key=lambda row: (-joined[row], row))[:most]
        return tuple(
            self._found(row, joined[row], float(similarities[row]), float(word_scores[row]))
            for row in rows
        )

    def by_meaning(self, questions: Vectors) -> NDArray[np.float32]:
        """The similarity of each passage. Every vector is compared: the result is exact."""
        scores = np.zeros(self._starts[-1], np.float32)
        for first, source in zip(self._starts[:-1], self.sources, strict=True):
            question = questions.get(source.bundle.model)
            if question is not None:
                vectors = source.bundle.vectors
                _similarities(vectors, question, scores[first : first + len(vectors)])
        return scores

    def by_words(self, question: str) -> NDArray[np.float32]:
        """The BM25 score of each passage."""
        scores = np.zeros(self._starts[-1], np.float32)
        for term in list(dict.fromkeys(terms(question)))[:_MOST_TERMS]:
            each = [source.bundle.with_term(term) for source in self.sources]
            count = sum(len(rows) for rows, _ in each)
            rarity = math.log1p((len(scores) - count + 0.5) / (count + 0.5))
            for first, (rows, weights) in zip(self._starts[:-1], each, strict=True):
                scores[rows + first] += weights * np.float32(rarity)
        return scores

    @cached_property
    def _starts(self) -> list[int]:
        """The number of each source's first passage, and how many there are in all."""
        sizes = (len(source.bundle) for source in self.sources)
        return list(accumulate(sizes, initial=0))

    def _found(self, row: int, score: float, similarity: float, word_score: float) -> Found:
        at = bisect_right(self._starts, row) - 1
        source = self.sources[at]
        passage = source.bundle.passage(row - self._starts[at])
        return Found(passage, source.source_id, source.title, score, similarity, word_score)


def _similarities(
    vectors: NDArray[np.float16], question: NDArray[np.float32], scores: NDArray[np.float32]
) -> None:
    """Write the cosine of each unit vector and ``question`` to ``scores``.

    numpy takes five times as long to widen float16 as this takes, because it looks for infinite
    numbers, which unit vectors do not have. The result is the same.
    """
    halves = vectors.view(np.int16)
    scaled = question * _WIDENED_SCALE
    room = np.empty((min(_ROWS_AT_ONCE, len(vectors)), vectors.shape[1]), np.int32)
    for start in range(0, len(vectors), _ROWS_AT_ONCE):
        bits = room[: min(_ROWS_AT_ONCE, len(vectors) - start)]
        # Moved to where a float32 has its exponent and fraction; of the copies of the sign, which
        # come with a negative number, only the first stays.
        np.left_shift(halves[start : start + len(bits)], 13, out=bits, dtype=np.int32)
        np.bitwise_and(bits, ~np.int32(0x70000000), out=bits)
        np.matmul(bits.view(np.float32), scaled, out=scores[start : start + len(bits)])


def best(scores: NDArray[Any], most: int = MOST_FOUND) -> list[int]:
    """The passages with the highest scores above 0, the best first; equals in their order."""
    most = min(most, len(scores))
    if not most:
        return []
    rows = np.argpartition(-scores, most - 1)[:most]
    rows = rows[scores[rows] > 0]
    return [int(row) for row in rows[np.lexsort((rows, -scores[rows]))]]
