"""How often a question finds its passage: by meaning, by words, and by both.

The set (``documents.jsonl``, ``pairs.jsonl``) is made from sentences of our own: 60 businesses in
three languages, which all tell about the same subjects, so that a question has to find the right
business, too. All documents of a language are searched as one.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from knowledge.bundle import Bundle, packed
from knowledge.chunking import passages_of
from knowledge.embedding.minilm import local_model
from knowledge.search.library import Library, Source, best

HERE = Path(__file__).parent
FOUND_WITHIN = 5
LANGUAGES = ("en", "de", "hi")


@dataclass(frozen=True)
class Recall:
    """Shares of the questions whose passage is among the first ``FOUND_WITHIN``."""

    questions: int
    hybrid: float
    meaning: float
    words: float


def rows(name: str, language: str) -> Iterator[dict[str, Any]]:
    for line in (HERE / f"{name}.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        if row["language"] == language:
            yield row


def library_of(language: str) -> Library:
    return Library([_source(row["title"], row["text"]) for row in rows("documents", language)])


def recall_of(language: str) -> Recall:
    library, pairs = library_of(language), list(rows("pairs", language))
    vectors = local_model().embed([pair["question"] for pair in pairs])
    texts = [
        source.bundle.passage(at).text
        for source in library.sources
        for at in range(len(source.bundle))
    ]
    hybrid = meaning = words = 0
    for pair, own in zip(pairs, vectors, strict=True):
        vector = {local_model().model: own}
        question, passage = pair["question"], pair["passage"]
        found = [each.passage.text for each in library.search(question, vector, FOUND_WITHIN)]
        hybrid += _has(found, passage)
        near = best(library.by_meaning(vector), FOUND_WITHIN)
        meaning += _has([texts[row] for row in near], passage)
        alike = best(library.by_words(question), FOUND_WITHIN)
        words += _has([texts[row] for row in alike], passage)
    count = len(pairs)
    return Recall(count, hybrid / count, meaning / count, words / count)


def _source(title: str, text: str) -> Source:
    passages = passages_of(text, title)
    vectors = local_model().embed([passage.searched for passage in passages])
    return Source(title, title, Bundle(packed(passages, vectors, local_model().model)))


def _has(found: Sequence[str], passage: str) -> bool:
    return any(passage in text for text in found)
