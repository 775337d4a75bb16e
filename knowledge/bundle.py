"""The passages of one source, as one file that is memory-mapped.

The file's name is its content's SHA-256, so a copy on a disk is never out of date. It begins with
``MAGIC``, the length of a JSON header in 8 bytes, and the header, which names the arrays behind it
with their types, shapes and places. Vectors are float16, and text is UTF-8. The index of words has
for each word, in the order of their UTF-8 bytes, the passages with it and how much it says about
each: BM25 without the word's rarity, which depends on what else is searched.
"""

from __future__ import annotations

import hashlib
import json
import math
import mmap
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from knowledge.passages import Passage
from knowledge.search.terms import terms_of, words

VERSION = 1
MAGIC = b"SWKB\x00\x00\x00\x01"
_ALIGNMENT = 64
_LENGTH_BYTES = 8
_SATURATION, _LENGTH_WEIGHT = 1.2, 0.6
"""BM25's k1 and b."""
LARGEST_WEIGHT = _SATURATION + 1
"""What a word says about a passage is less than this."""


class BundleDamaged(Exception):
    """The file is not a bundle of this version."""


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def packed(passages: Sequence[Passage], vectors: NDArray[Any], model: str) -> bytes:
    """The bundle of a source. The same passages make the same bytes.

    Args:
        vectors: of the passages, ``(len(passages), dimensions)``.
        model: that made the vectors. Questions must be embedded with it.
    """
    arrays = {
        "vectors": vectors.astype(np.float16),
        **_texts("contexts", [passage.context for passage in passages]),
        **_texts("passages", [passage.text for passage in passages]),
        **_word_index(passages),
    }
    return _written({"version": VERSION, "model": model}, arrays)


class Bundle:
    """A bundle in memory, or mapped from its file.

    Raises:
        BundleDamaged: it is none.
    """

    def __init__(self, content: bytes | mmap.mmap) -> None:
        self._content = content
        try:
            if content[: len(MAGIC)] != MAGIC:
                raise BundleDamaged("does not begin as a bundle")
            start = len(MAGIC) + _LENGTH_BYTES
            length = int.from_bytes(content[len(MAGIC) : start], "little")
            header = json.loads(content[start : start + length])
            self.model: str = header["model"]
            self._arrays = {
                name: np.frombuffer(
                    content, np.dtype(kind), count=math.prod(shape), offset=offset
                ).reshape(shape)
                for name, (kind, shape, offset) in header["arrays"].items()
            }
            self.vectors = self._arrays["vectors"]
        except (ValueError, KeyError, TypeError) as error:
            raise BundleDamaged(str(error)) from error

    @classmethod
    def mapped(cls, file: Path) -> Bundle:
        with file.open("rb") as opened:
            try:
                return cls(mmap.mmap(opened.fileno(), 0, access=mmap.ACCESS_READ))
            except ValueError as error:  # Empty.
                raise BundleDamaged(str(error)) from error

    def __len__(self) -> int:
        return len(self.vectors)

    def passage(self, at: int) -> Passage:
        return Passage(self._text("contexts", at), self._text("passages", at))

    def with_term(self, term: str) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
        """The passages with ``term``, and how much it says about each."""
        at = self._found(term.encode())
        bounds = self._arrays["postings_at"]
        start, end = (0, 0) if at is None else (bounds[at], bounds[at + 1])
        return self._arrays["postings"][start:end], self._arrays["weights"][start:end]

    def _found(self, term: bytes) -> int | None:
        # Python reads single items of a memoryview several times as fast as those of an array.
        text, bounds = self._arrays["terms"].data, self._arrays["terms_at"].data
        low, high = 0, len(bounds) - 1
        while low < high:
            middle = (low + high) // 2
            here = bytes(text[bounds[middle] : bounds[middle + 1]])
            if here == term:
                return middle
            if here < term:
                low = middle + 1
            else:
                high = middle
        return None

    def _text(self, name: str, at: int) -> str:
        bounds = self._arrays[f"{name}_at"]
        return self._arrays[name][bounds[at] : bounds[at + 1]].tobytes().decode("utf-8", "replace")


def _texts(name: str, texts: Sequence[str]) -> dict[str, NDArray[Any]]:
    encoded = [text.encode("utf-8", "replace") for text in texts]
    bounds = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return {name: np.frombuffer(b"".join(encoded), np.uint8), f"{name}_at": bounds}


def _word_index(passages: Sequence[Passage]) -> dict[str, NDArray[Any]]:
    postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    known_terms_of = cache(terms_of)
    lengths = np.zeros(len(passages), np.float64)
    for at, passage in enumerate(passages):
        counts: defaultdict[str, int] = defaultdict(int)
        for word, count in Counter(words(passage.searched)).items():
            for term in known_terms_of(word):
                counts[term] += count
        lengths[at] = sum(counts.values())
        for term, count in counts.items():
            postings[term].append((at, count))
    usual = (1 - _LENGTH_WEIGHT) + _LENGTH_WEIGHT * lengths / max(1.0, lengths.mean() or 1.0)
    ordered = sorted(postings, key=str.encode)
    rows = np.array([row for term in ordered for row, _ in postings[term]], np.int32)
    counts_of = np.array([count for term in ordered for _, count in postings[term]], np.float64)
    sizes = np.array([len(postings[term]) for term in ordered], np.int64)
    weights = counts_of * LARGEST_WEIGHT / (counts_of + _SATURATION * usual[rows])
    return {
        **_texts("terms", ordered),
        "postings_at": np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        "postings": rows,
        "weights": weights.astype(np.float32),
    }


def _written(header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Offsets count from the beginning of the file; the header leaves room for their digits."""
    places: dict[str, tuple[str, tuple[int, ...], int]] = {}
    described = len(json.dumps(header)) + 160 * len(arrays)
    start = offset = _aligned(len(MAGIC) + _LENGTH_BYTES + described)
    parts: list[bytes] = []
    for name, array in arrays.items():
        content = array.tobytes()
        padding = _aligned(len(content)) - len(content)
        places[name] = (array.dtype.str, array.shape, offset)
        parts += [content, b"\0" * padding]
        offset += len(content) + padding
    length = start - len(MAGIC) - _LENGTH_BYTES
    written = json.dumps(header | {"arrays": places}).encode().ljust(length)
    return b"".join((MAGIC, length.to_bytes(_LENGTH_BYTES, "little"), written, *parts))


def _aligned(length: int) -> int:
    return -(-length // _ALIGNMENT) * _ALIGNMENT
