"""Embeds texts with OpenAI's models, which know many languages.

Source: https://platform.openai.com/docs/api-reference/embeddings/create
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

from knowledge.embedding.model import EmbeddingFailed, EmbeddingUnavailable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

OpenAiModelName = Literal["text-embedding-3-small", "text-embedding-3-large"]
DIMENSIONS = 512
"""Both models can shorten their vectors; these take a third of the memory and find as well."""
_TIMEOUT_SECONDS = 20.0
_LASTING_STATUS = frozenset({400, 401, 403, 404})


class OpenAiModel:
    """
    Args:
        base_url: ends with ``/v1``; ``None``: OpenAI's own.
        timeout_seconds: for one request, of a few dozen passages.
    """

    def __init__(
        self,
        name: OpenAiModelName,
        api_key: str,
        base_url: str | None = None,
        timeout_seconds: float = _TIMEOUT_SECONDS,
    ) -> None:
        # The import takes half a second, which no question of a caller is to wait for.
        import openai

        options: dict[str, Any] = {} if base_url is None else {"base_url": base_url}
        self._name = name
        self._client = openai.OpenAI(
            api_key=api_key, timeout=timeout_seconds, max_retries=0, **options
        )

    @property
    def model(self) -> str:
        return name_in_bundles(self._name)

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np
        import openai

        try:
            answer = self._client.embeddings.create(
                model=self._name, input=list(texts), dimensions=DIMENSIONS
            )
            vectors = np.array([each.embedding for each in answer.data], np.float32)
        except openai.APIStatusError as error:
            if error.status_code in _LASTING_STATUS:
                raise EmbeddingUnavailable(
                    f"OpenAI refuses to embed with {self._name} (status {error.status_code})."
                ) from error
            raise EmbeddingFailed(f"OpenAI answered with status {error.status_code}") from error
        except openai.OpenAIError as error:
            raise EmbeddingFailed(f"OpenAI could not be reached: {error}") from error
        except (TypeError, ValueError, AttributeError) as error:
            raise EmbeddingFailed("OpenAI sent something that is no list of vectors") from error
        if vectors.shape != (len(texts), DIMENSIONS) or not np.isfinite(vectors).all():
            raise EmbeddingFailed("OpenAI sent other vectors than it was asked for")
        lengths: NDArray[np.float32] = np.linalg.norm(vectors, axis=1, keepdims=True)
        unit: NDArray[np.float32] = vectors / lengths.clip(1e-9)
        return unit


def name_in_bundles(name: OpenAiModelName) -> str:
    """With its dimensions: vectors of different lengths cannot be compared."""
    return f"openai/{name}/{DIMENSIONS}"


NAMES: Mapping[str, OpenAiModelName] = MappingProxyType(
    {name_in_bundles(each): each for each in get_args(OpenAiModelName)}
)
"""By the names in bundles."""
