from __future__ import annotations

import pytest

from tests.knowledge.quality.recall import LANGUAGES, recall_of, rows


def test_the_set_is_large_enough() -> None:
    assert sum(len(list(rows("pairs", language))) for language in LANGUAGES) >= 300
    assert sum(len(list(rows("documents", language))) for language in LANGUAGES) >= 60


@pytest.mark.parametrize(("language", "least"), [("en", 0.9), ("de", 0.9), ("hi", 0.85)])
def test_questions_find_their_passage(language: str, least: float) -> None:
    """Hindi is found by its words: the model does not know it, and puts noise beside them."""
    recall = recall_of(language)
    assert recall.hybrid >= least, recall
