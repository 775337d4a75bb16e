"""Moonshine, a small speech recogniser. Its wheel contains the English weights."""

from __future__ import annotations

import asyncio
import os
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Self

import numpy as np
from moonshine_voice import ModelArch, get_assets_path
from moonshine_voice.errors import MoonshineError
from moonshine_voice.transcriber import Transcriber

from pipelines.engine.providers.local.speech_models import HEARING_RATE, ModelError, Samples

_INT16_SCALE = 32_768.0
_REPEATED_PUNCTUATION = re.compile(r"([.,!?])[.,!?]+")
_OPTIONS = {
    # Our own voice activity detection cuts out the utterance. Moonshine's would cut it again and
    # transcribe the padding separately ("You").
    "vad_threshold": "0",
    "return_audio_data": "false",
}
_ONE_THREAD = "MOONSHINE_ORT_SINGLE_THREAD"
"""Environment variable that the library reads when it loads a model. Without it, a thread for each
further core waits for work in a busy loop: twice the processor time, and no text comes sooner."""


class MoonshineModel:
    """One loaded model. All calls of the process share it and take turns."""

    def __init__(self, transcriber: Transcriber, executor: ThreadPoolExecutor) -> None:
        self._transcriber = transcriber
        self._executor = executor
        self._waiting = 0

    @classmethod
    def load(cls) -> Self:
        """Blocking, about 0.4 s."""
        os.environ.setdefault(_ONE_THREAD, "1")
        transcriber = Transcriber(
            model_path=str(get_assets_path()) + "/tiny-en",
            model_arch=ModelArch.TINY,
            options=_OPTIONS,
        )
        transcriber.transcribe_without_streaming([0.0] * HEARING_RATE, HEARING_RATE)
        return cls(transcriber, ThreadPoolExecutor(1, thread_name_prefix="moonshine"))

    async def transcribe(self, samples: Samples) -> str:
        """Takes about 15 ms and 2.5 % of the audio's duration on a quiet core."""
        self._waiting += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(
                self._executor, self._transcribe, samples
            )
        except MoonshineError as error:
            raise ModelError(str(error)) from error
        finally:
            self._waiting -= 1

    async def transcribe_if_idle(self, samples: Samples) -> str | None:
        return None if self._waiting else await self.transcribe(samples)

    async def aclose(self) -> None:
        await asyncio.get_running_loop().run_in_executor(self._executor, self._transcriber.close)
        self._executor.shutdown(wait=False)

    def _transcribe(self, samples: Samples) -> str:
        audio = (samples.astype(np.float32) / _INT16_SCALE).tolist()
        transcript = self._transcriber.transcribe_without_streaming(audio, HEARING_RATE)
        text = " ".join(line.text.strip() for line in transcript.lines)
        text = _REPEATED_PUNCTUATION.sub(r"\1", text)
        return text if any(character.isalnum() for character in text) else ""
