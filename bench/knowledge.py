"""How well and how fast knowledge is found, and how fast it is ingested.

``python -m bench.knowledge`` prints tables. It needs the repository: the questions are in
``tests/knowledge/quality/``.
"""

from __future__ import annotations

import asyncio
import tempfile
import time
from pathlib import Path

import numpy as np

from knowledge.bundle import Bundle, packed
from knowledge.embedding.minilm import DIMENSIONS, local_model
from knowledge.parsing.formats import Format
from knowledge.parsing.sandbox import read_document
from knowledge.passages import Passage
from knowledge.search.library import Library, Source
from tests.knowledge.quality.recall import LANGUAGES, recall_of

SIZES = (20_000, 200_000)
SEARCHES = 200
INGESTED_BYTES = 1_000_000
"""The largest text that a source may have. The local model takes minutes for it."""
_WORDS = [f"{start}{end}" for start in "ba ce di fo gu ha ki lo".split() for end in range(500)]


def main() -> None:
    print("| language | questions | hybrid recall@5 | by meaning | by words |")
    print("|---|---|---|---|---|")
    for language in LANGUAGES:
        found = recall_of(language)
        shares = f"{found.hybrid:.3f} | {found.meaning:.3f} | {found.words:.3f}"
        print(f"| {language} | {found.questions} | {shares} |")
    print("\n| passages | search p50 ms | p99 ms |\n|---|---|---|")
    for size in SIZES:
        p50_ms, p99_ms = search_times_ms(size)
        print(f"| {size:,} | {p50_ms:.1f} | {p99_ms:.1f} |")
    asyncio.run(ingest())


def search_times_ms(size: int) -> tuple[float, float]:
    """Without embedding the question. The bundle is mapped from a file, as in a worker."""
    random = np.random.default_rng(19)
    vectors = random.standard_normal((size, DIMENSIONS), np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    # Frequent words and rare ones, as in a language.
    words = random.zipf(1.3, (size, 40)) % len(_WORDS)
    passages = [Passage("", " ".join(_WORDS[word] for word in row)) for row in words]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "bundle"
        file.write_bytes(packed(passages, vectors, "random"))
        library = Library([Source("a", "A", Bundle.mapped(file))])
        times_ms = []
        for number in range(SEARCHES):
            question = " ".join(_WORDS[word] for word in words[number][:8])
            began_at = time.perf_counter()
            library.search(question, {"random": vectors[number]})
            times_ms.append((time.perf_counter() - began_at) * 1000)
    return float(np.percentile(times_ms, 50)), float(np.percentile(times_ms, 99))


async def ingest() -> None:
    sentence = "Number {} of the house rules says that guests leave their keys at the desk. "
    text = ""
    for number in range(INGESTED_BYTES // len(sentence)):
        text += sentence.format(number) + ("\n\n" if number % 8 == 0 else "")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rules.md"
        file.write_text(text)
        began_at = time.perf_counter()
        passages = await read_document(file, Format.MD, "Rules")
        read_at = time.perf_counter()
    vectors = local_model().embed([passage.searched for passage in passages])
    embedded_at = time.perf_counter()
    packed(passages, vectors, local_model().model)
    packed_at = time.perf_counter()
    whole = packed_at - began_at
    share = (embedded_at - read_at) / whole
    print(f"\nIngestion: {len(text) / whole / 1e6:.3f} MB/s, {share:.0%} of it the local model;")
    print(f"without the model {len(text) / (whole - embedded_at + read_at) / 1e6:.1f} MB/s.")


if __name__ == "__main__":
    main()
