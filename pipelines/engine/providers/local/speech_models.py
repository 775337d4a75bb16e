"""What the engine asks of the models on this machine, wherever they run.

They run in this process (``loaded_models``) or in one of their own (``model_process``).
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.int16]
"""Mono PCM, shape ``(samples,)``."""

HEARING_RATE = 16_000
"""Samples per second that the recogniser and the end-of-turn model take."""


class ModelError(RuntimeError):
    """A model refused its work. Asking again would not help."""


class ModelsAway(ModelError):
    """The model process does not answer. Later it may."""


class Recogniser(Protocol):
    """Takes one utterance at ``HEARING_RATE``."""

    async def transcribe(self, samples: Samples) -> str:
        """Empty if nothing was understood. Raises ``ModelError``."""

    async def transcribe_if_idle(self, samples: Samples) -> str | None:
        """``None``, at once, if another transcription is running or waiting."""


class Voice(Protocol):
    @property
    def sample_rate(self) -> int: ...

    def speak(self, text: str, *, locale: str) -> AsyncIterator[bytes]:
        """Mono 16-bit PCM, one piece per sentence, each as soon as it is ready.

        Raises ``ModelError``.
        """


class LoadedVoice(Voice, Protocol):
    """A voice whose sentences can wait in a queue one by one."""

    def sentences(self, text: str) -> Sequence[str]:
        """What ``speak`` says piece by piece."""

    async def say(self, sentence: str, *, locale: str) -> bytes:
        """The piece of one of ``sentences``. Raises ``ModelError``."""

    async def aclose(self) -> None: ...


class EndOfTurn(Protocol):
    async def predict(self, samples: Samples) -> float:
        """The probability that the speaker has finished, from the last 1.2 s at ``HEARING_RATE``.

        Raises ``ModelError``.
        """


class LoadedRecogniser(Recogniser, Protocol):
    async def aclose(self) -> None: ...


class LoadedEndOfTurn(EndOfTurn, Protocol):
    async def aclose(self) -> None: ...


class LocalModels(Protocol):
    """``None`` stands for a model that is not installed."""

    @property
    def moonshine(self) -> Recogniser | None: ...
    @property
    def hibari(self) -> Voice | None: ...
    @property
    def espeak(self) -> Voice | None: ...
    @property
    def end_of_turn(self) -> EndOfTurn | None: ...

    @property
    def oldest_request_seconds(self) -> float:
        """How long this process's oldest request to the model process has waited for its answer,
        or for the next sentence of its answer; 0 without one, and 0 without a model process."""

    async def aclose(self) -> None: ...
