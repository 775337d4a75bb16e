"""The end-of-turn model of ``livekit-local-inference``. Its wheel contains the weights."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Self

import numpy as np
from livekit.local_inference import EOT, EOT_MAX_SAMPLES

from pipelines.engine.providers.local.speech_models import Samples


class EndOfTurnModel:
    """One loaded model. All calls of the process share it and take turns."""

    def __init__(self, model: EOT, executor: ThreadPoolExecutor) -> None:
        self._model = model
        self._executor = executor

    @classmethod
    def load(cls) -> Self:
        """Blocking, about 0.3 s. Raises ``OSError`` or ``RuntimeError``."""
        model = EOT()
        model.predict(np.zeros(EOT_MAX_SAMPLES, np.int16))
        return cls(model, ThreadPoolExecutor(1, thread_name_prefix="end-of-turn"))

    async def predict(self, samples: Samples) -> float:
        """Takes about 25 ms on a quiet core."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._executor, self._model.predict, samples)

    async def aclose(self) -> None:
        self._executor.shutdown(wait=False)
