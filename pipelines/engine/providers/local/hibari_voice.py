"""Hibari, a small English voice. Its wheel contains the weights."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import Self

import hibari
import numpy as np

from pipelines.engine.providers.local.spoken_numbers import readable

_AUDIBLE = 0.01
_LEAD_IN_SECONDS = 0.02
_SEED = 0


class HibariVoice:
    """One loaded voice. All calls of the process share it."""

    def __init__(self, synthesiser: hibari.Hibari, executor: ThreadPoolExecutor) -> None:
        self._synthesiser = synthesiser
        self._executor = executor

    @classmethod
    def load(cls) -> Self:
        """Blocking, about 0.7 s."""
        synthesiser = hibari.Hibari()
        synthesiser("Warm up.")
        return cls(synthesiser, ThreadPoolExecutor(1, thread_name_prefix="hibari"))

    @property
    def sample_rate(self) -> int:
        return int(hibari.SAMPLE_RATE)

    def sentences(self, text: str) -> list[str]:
        return list(self._synthesiser.split_sentences(text))

    async def say(self, sentence: str, *, locale: str) -> bytes:
        return await asyncio.get_running_loop().run_in_executor(
            self._executor, self._synthesise, sentence
        )

    async def speak(self, text: str, *, locale: str) -> AsyncIterator[bytes]:
        for sentence in self.sentences(text):
            yield await self.say(sentence, locale=locale)

    async def aclose(self) -> None:
        self._executor.shutdown(wait=False)

    def _synthesise(self, sentence: str) -> bytes:
        audio = self._synthesiser(readable(sentence), seed=_SEED)
        audible = np.flatnonzero(np.abs(audio) > _AUDIBLE)
        if len(audible):
            # The model begins with silence, which a caller would hear as a hesitation.
            audio = audio[max(0, audible[0] - int(_LEAD_IN_SECONDS * self.sample_rate)) :]
        pcm: bytes = (np.clip(audio, -1.0, 1.0) * 32_767).astype("<i2").tobytes()
        return pcm
