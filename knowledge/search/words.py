"""Scores passages by the words of a question. Pure.

A passage's score is BM25: the sum of what each word says about it, weighed by how rare the word is.
Frequent words are in most passages and say little. So rare words come first. Once they have found
``most`` passages that none without a rare word can reach, frequent words are looked up only in the
passages that can still be among the best.

Source: Turtle and Flood, "Query Evaluation: Strategies and Optimizations", 1995 (MaxScore).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from knowledge.bundle import LARGEST_WEIGHT

Rows = NDArray[np.int32]
Scores = NDArray[np.float32]

_FREQUENT_SHARE = 1 / 16
"""Of all passages: counting what a rarer word says about each of its own takes less time than
finding out whether that is needed."""
_FINDING_COSTS = 16
"""Times as much for each passage that is looked for as for each one that is counted."""


@dataclass(frozen=True)
class Posting:
    """Where one word is.

    Args:
        parts: for each source, the number of its first passage, which of its own passages have the
            word, ascending, and how much the word says about each.
        passages: in all sources.
    """

    parts: Sequence[tuple[int, Rows, Scores]]
    passages: int

    @cached_property
    def count(self) -> int:
        return sum(len(rows) for _, rows, _ in self.parts)

    @cached_property
    def rarity(self) -> float:
        return math.log1p((self.passages - self.count + 0.5) / (self.count + 0.5))

    def add_to(self, scores: Scores) -> None:
        """To the score of each passage with the word."""
        for first, rows, weights in self.parts:
            # Faster than scores[rows] += …, which copies those scores first.
            np.add.at(scores[first:], rows, weights * np.float32(self.rarity))

    def add_to_some(self, scores: Scores, some: NDArray[np.int64]) -> None:
        """To the scores of those of ``some`` passages, ascending, that have the word. Adds to all
        scores where that is faster."""
        if len(some) * _FINDING_COSTS > self.count:
            self.add_to(scores)
            return
        for first, rows, weights in self.parts:
            if not len(rows):
                continue
            here = (some - first).astype(np.int32)
            at = np.searchsorted(rows, here).clip(max=len(rows) - 1)
            has_it = rows[at] == here
            scores[some[has_it]] += weights[at[has_it]] * np.float32(self.rarity)


def word_scores(
    postings: Iterable[Posting], passages: int, most: int, also: Sequence[int] = ()
) -> Scores:
    """The score of each passage: exact for the best ``most`` and for ``also``; no other one has a
    score that is higher than those of the best.

    Args:
        postings: of the question's words.
    """
    scores = np.zeros(passages, np.float32)
    rarest_first = sorted(postings, key=lambda posting: posting.count)
    scored, left = 0.0, sum(posting.rarity for posting in rarest_first) * LARGEST_WEIGHT
    for number, posting in enumerate(rarest_first):
        if posting.count > passages * _FREQUENT_SHARE and passages > most and scored > left:
            least = _least_of_best(scores, most)
            if least > left:
                can_be_among_them = scores >= least - left
                can_be_among_them[list(also)] = True
                some = np.flatnonzero(can_be_among_them)
                for frequent in rarest_first[number:]:
                    frequent.add_to_some(scores, some)
                break
        posting.add_to(scores)
        scored += posting.rarity * LARGEST_WEIGHT
        left -= posting.rarity * LARGEST_WEIGHT
    return scores


def _least_of_best(scores: Scores, most: int) -> float:
    """0 while fewer than ``most`` have a score."""
    found = scores[scores > 0]
    return -float(np.partition(-found, most - 1)[most - 1]) if len(found) >= most else 0.0
