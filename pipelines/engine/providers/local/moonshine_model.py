"""Moonshine, a small speech recogniser. Its wheel contains the English weights."""

from __future__ import annotations

import asyncio
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Self

import numpy as np
from moonshine_voice import ModelArch, get_assets_path
from moonshine_voice.transcriber import Transcriber
from numpy.typing import NDArray

SAMPLE_RATE = 16_000
_INT16_SCALE = 32_768.0
_REPEATED_PUNCTUATION = re.compile(r"([.,!?])[.,!?]+")
_OPTIONS = {
    # Our own voice activity detection cuts out the utterance. Moonshine's would cut it again and
    # transcribe the padding separately ("You").
    "vad_threshold": "0",
    "return_audio_data": "false",
}


class MoonshineModel:
    """One loaded model. All calls of the process share it and take turns."""

    def __init__(self, transcriber: Transcriber, executor: ThreadPoolExecutor) -> None:
        self._transcriber = transcriber
        self._executor = executor
        self._waiting = 0

    @classmethod
    def load(cls) -> Self:
        """Blocking, about 0.4 s."""
        transcriber = Transcriber(
            model_path=str(get_assets_path()) + "/tiny-en",
            model_arch=ModelArch.TINY,
            options=_OPTIONS,
        )
        transcriber.transcribe_without_streaming([0.0] * SAMPLE_RATE, SAMPLE_RATE)
        return cls(transcriber, ThreadPoolExecutor(1, thread_name_prefix="moonshine"))

    @property
    def busy(self) -> bool:
        """Whether a transcription is running or waiting. If so, do not start an interim one."""
        return self._waiting > 0

    async def transcribe(self, samples: NDArray[np.int16]) -> str:
        """The text of one utterance at ``SAMPLE_RATE``; empty if nothing was understood.

        Takes about 15 ms and 2.5 % of the audio's duration on a quiet core.
        Raises ``MoonshineError``.
        """
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._executor, self._transcribe, samples
            )
        finally:
            self._waiting -= 1

    async def aclose(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._executor, self._transcriber.close)
        self._executor.shutdown(wait=False)

    def _transcribe(self, samples: NDArray[np.int16]) -> str:
        audio = (samples.astype(np.float32) / _INT16_SCALE).tolist()
        transcript = self._transcriber.transcribe_without_streaming(audio, SAMPLE_RATE)
        text = " ".join(line.text.strip() for line in transcript.lines)
        text = _REPEATED_PUNCTUATION.sub(r"\1", text)
        return text if any(character.isalnum() for character in text) else ""
