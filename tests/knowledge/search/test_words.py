from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.search.library import best
from knowledge.search.words import Posting, word_scores

PASSAGES = 400
MOST = 5


def posting(rows: list[int], weights: list[float], *, first: int = 0) -> Posting:
    part = (first, np.array(rows, np.int32), np.array(weights, np.float32))
    return Posting([part], PASSAGES)


def every_score(postings: list[Posting]) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
    scores = np.zeros(PASSAGES, np.float32)
    for each in sorted(postings, key=lambda one: one.count):
        each.add_to(scores)
    return scores


@given(seed=st.integers(0, 2**32), words=st.integers(1, 12))
def test_leaving_passages_out_does_not_change_the_best(seed: int, words: int) -> None:
    random = np.random.default_rng(seed)
    postings = []
    for _ in range(words):
        has_it = random.random(PASSAGES) < random.choice([0.01, 0.1, 0.6])
        rows = np.flatnonzero(has_it).astype(np.int32)
        weights = random.uniform(0, 2.2, len(rows)).astype(np.float32)
        half = int(np.searchsorted(rows, PASSAGES // 2))
        parts = [
            (0, rows[:half], weights[:half]),
            (PASSAGES // 2, rows[half:] - PASSAGES // 2, weights[half:]),
        ]
        postings.append(Posting(parts, PASSAGES))
    also = [int(row) for row in random.integers(0, PASSAGES, 4)]
    whole, found = every_score(postings), word_scores(postings, PASSAGES, MOST, also)
    assert best(found, MOST) == best(whole, MOST)
    rows_shown = best(whole, MOST) + also
    np.testing.assert_allclose(found[rows_shown], whole[rows_shown], rtol=1e-5)


def test_frequent_words_are_looked_up_only_where_they_can_matter() -> None:
    rare = posting(list(range(MOST)), [2.0] * MOST)
    frequent = posting(list(range(0, PASSAGES, 2)), [1.0] * (PASSAGES // 2))
    found = word_scores([frequent, rare], PASSAGES, MOST, also=[100])
    assert found[100] == pytest.approx(frequent.rarity)
    assert found[102] == 0
    assert found[2] == pytest.approx(2 * rare.rarity + frequent.rarity)


def test_only_frequent_words_are_counted_everywhere() -> None:
    frequent = posting(list(range(0, PASSAGES, 2)), [1.0] * (PASSAGES // 2))
    assert word_scores([frequent], PASSAGES, MOST)[102] > 0
