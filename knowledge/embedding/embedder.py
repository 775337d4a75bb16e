"""The embedding models of this process: one for new passages, and those of older bundles."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

import structlog

from knowledge.embedding import minilm
from knowledge.embedding.model import EmbeddingFailed, EmbeddingModel, EmbeddingUnavailable
from knowledge.embedding.openai_model import (
    NAMES,
    OpenAiModel,
    OpenAiModelName,
    name_in_bundles,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

QUESTION_SECONDS = 0.8
"""A caller waits for the embedding of a question. Without it, passages are found by their words."""
_PAUSE_SECONDS = 30.0
"""After a failure, no question waits for the model."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class EmbeddingSettings:
    """
    Args:
        openai_model: embeds new passages; ``None``: MiniLM on this machine does.
        openai_base_url: ends with ``/v1``; ``None``: OpenAI's own.
    """

    openai_model: OpenAiModelName | None = None
    openai_api_key: str | None = field(default=None, repr=False)
    openai_base_url: str | None = None

    def knows(self, languages: Sequence[str]) -> bool:
        """Whether passages in these languages (BCP 47) can be found by their meaning."""
        if self.openai_model is not None:
            return True
        return minilm.is_installed() and all(
            each.casefold().partition("-")[0] == "en" for each in languages
        )


class Embedder:
    """
    Args:
        clock: in seconds; only differences count.
    """

    def __init__(
        self, settings: EmbeddingSettings, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._settings = settings
        self._clock = clock
        self._no_question_before = clock()

    @property
    def model(self) -> str:
        """That new passages are embedded with."""
        name = self._settings.openai_model
        return minilm.MODEL if name is None else name_in_bundles(name)

    @property
    def is_remote(self) -> bool:
        return self._settings.openai_model is not None

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Of passages. Blocks.

        Raises:
            EmbeddingUnavailable, EmbeddingFailed
        """
        return _loaded(self._settings, self.model, None).embed(texts)

    def prepare(self, models: Collection[str]) -> None:
        """Load what questions to bundles of ``models`` need. Blocks for up to a second.

        Raises:
            EmbeddingUnavailable: one of them cannot be used here.
        """
        for model in models:
            _loaded(self._settings, model, QUESTION_SECONDS)

    def vectors(self, question: str, models: Collection[str]) -> dict[str, NDArray[np.float32]]:
        """The question's vector by each of ``models`` that can be used now. Blocks."""
        found: dict[str, NDArray[np.float32]] = {}
        for model in models:
            is_local = model == minilm.MODEL
            if not is_local and self._clock() < self._no_question_before:
                continue
            try:
                (found[model],) = _loaded(self._settings, model, QUESTION_SECONDS).embed([question])
            except (EmbeddingFailed, EmbeddingUnavailable) as error:
                if not is_local:
                    self._no_question_before = self._clock() + _PAUSE_SECONDS
                _log.warning("question_not_embedded", model=model, error=str(error))
        return found


@cache
def embedder(settings: EmbeddingSettings) -> Embedder:
    """One for each process and its settings."""
    return Embedder(settings)


@cache
def _loaded(
    settings: EmbeddingSettings, model: str, timeout_seconds: float | None
) -> EmbeddingModel:
    if model == minilm.MODEL:
        return minilm.local_model()
    name, key = NAMES.get(model), settings.openai_api_key
    if name is None:
        raise EmbeddingUnavailable(f"This release does not know the embedding model {model}.")
    if not key:
        raise EmbeddingUnavailable(f"{name} needs OPENAI_API_KEY, which is not set.")
    if timeout_seconds is None:
        return OpenAiModel(name, key, settings.openai_base_url)
    return OpenAiModel(name, key, settings.openai_base_url, timeout_seconds)
