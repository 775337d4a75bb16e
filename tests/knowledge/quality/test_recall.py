from __future__ import annotations

import pytest

from tests.knowledge.quality.recall import LANGUAGES, recall_of, rows


def test_the_set_is_large_enough() -> None:
    assert sum(len(list(rows("pairs", language))) for language in LANGUAGES) >= 300
    assert sum(len(list(rows("documents", language))) for language in LANGUAGES) >= 60


@pytest.mark.parametrize("language", LANGUAGES)
def test_nine_questions_of_ten_find_their_passage(language: str) -> None:
    recall = recall_of(language)
    assert recall.hybrid >= 0.9, recall
