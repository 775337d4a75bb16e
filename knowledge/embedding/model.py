"""What every embedding model can do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class EmbeddingUnavailable(Exception):
    """This installation cannot use the model until its operator changes something. The message
    says what, as a whole sentence."""


class EmbeddingFailed(Exception):
    """The model did not answer this time."""


class EmbeddingModel(Protocol):
    """Can be used from several threads, which it blocks."""

    @property
    def model(self) -> str:
        """Its name, which stands in the bundles that it made."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One unit vector for each text, ``(len(texts), dimensions)``.

        Raises:
            EmbeddingUnavailable, EmbeddingFailed
        """
        ...
