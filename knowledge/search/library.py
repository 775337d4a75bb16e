"""Searches bundles by meaning and by words, and joins both by reciprocal rank.

Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual
Rank Learning Methods", SIGIR 2009.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import accumulate
from typing import Any

import numkong
import numpy as np
from numpy.typing import NDArray

from knowledge.bundle import Bundle
from knowledge.passages import Passage
from knowledge.search.terms import terms
from knowledge.search.words import Posting, Scores, word_scores

MOST_FOUND = 50
"""Passages of each of the two lists that are joined."""
_RANK_CONSTANT = 60
_FINER = np.float32(2.0**11)
"""A float16 has 11 binary digits."""
_MANY = 50_000
"""Vectors that two threads share: memory is read faster by two cores than by one."""
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
        similarities = self.by_meaning(vectors)
        nearest = best(similarities)
        of_words = self.by_words(question, also=nearest)
        joined: defaultdict[int, float] = defaultdict(float)
        for ranking in (nearest, best(of_words)):
            for rank, row in enumerate(ranking, 1):
                joined[row] += 1 / (_RANK_CONSTANT + rank)
        rows = sorted(joined, key=lambda row: (-joined[row], row))[:most]
        return tuple(
            self._found(row, joined[row], float(similarities[row]), float(of_words[row]))
            for row in rows
        )

    def by_meaning(self, questions: Vectors) -> Scores:
        """The similarity of each passage. Every vector is compared: the result is exact."""
        scores = np.zeros(self._starts[-1], np.float32)
        for first, source in zip(self._starts[:-1], self.sources, strict=True):
            question = questions.get(source.bundle.model)
            if question is not None:
                vectors = source.bundle.vectors
                scores[first : first + len(vectors)] = _similarities(vectors, question)
        return scores

    def by_words(self, question: str, most: int = MOST_FOUND, also: Sequence[int] = ()) -> Scores:
        """The BM25 score of each passage: exact for the best ``most`` and for ``also``; no other
        one has a higher score than those."""
        passages = self._starts[-1]
        postings = (
            self._posting(term, passages)
            for term in list(dict.fromkeys(terms(question)))[:_MOST_TERMS]
        )
        return word_scores(postings, passages, most, also)

    def _posting(self, term: str, passages: int) -> Posting:
        found = [
            (first, *source.bundle.with_term(term))
            for first, source in zip(self._starts[:-1], self.sources, strict=True)
        ]
        return Posting(found, passages)

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


def _similarities(vectors: NDArray[np.float16], question: NDArray[np.float32]) -> Scores:
    """The cosine of each unit vector and ``question``.

    NumKong multiplies float16 with float16 as it reads them; numpy would write all of them again as
    float32 first, and takes three times as long. So the question comes in two parts: its float16,
    and what rounding took away.
    """
    rounded = question.astype(np.float16)
    taken_away = (question - rounded) * _FINER
    parts = numkong.dots_pack(np.stack((rounded, taken_away.astype(np.float16))))

    def of(some: NDArray[np.float16]) -> Scores:
        products = np.asarray(numkong.dots_packed(some, parts), np.float32)
        similarities: Scores = products[:, 0] + products[:, 1] / _FINER
        return similarities

    if len(vectors) < _MANY:
        return of(vectors)
    half = len(vectors) // 2
    others = _second_thread().submit(of, vectors[:half])
    later = of(vectors[half:])
    return np.concatenate((others.result(), later))


@cache
def _second_thread() -> ThreadPoolExecutor:
    """NumKong gives the interpreter lock away while it multiplies."""
    return ThreadPoolExecutor(1, "knowledge")


def best(scores: NDArray[Any], most: int = MOST_FOUND) -> list[int]:
    """The passages with the highest scores above 0, the best first; equals in their order."""
    most = min(most, len(scores))
    if not most:
        return []
    rows = np.argpartition(-scores, most - 1)[:most]
    rows = rows[scores[rows] > 0]
    return [int(row) for row in rows[np.lexsort((rows, -scores[rows]))]]
