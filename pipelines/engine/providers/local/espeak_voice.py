"""eSpeak NG over ctypes: a plain voice for every language. API: espeak-ng's ``speak_lib.h``.

The library has one global state per process, so everything runs in one thread.
"""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Self

import espeakng_loader

from pipelines.engine.providers.local.speech_models import ModelError
from pipelines.texts.language import primary_language

_AUDIO_OUTPUT_SYNCHRONOUS = 2
_INITIALIZE_DONT_EXIT = 0x8000
_POSITION_CHARACTER = 1
_CHARS_UTF8 = 1
_OK = 0
_CHUNK_MS = 100
_VOICE_NAMES = {"zh": "cmn", "no": "nb"}
_SynthCallback = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)


class EspeakError(ModelError):
    """espeak-ng refused a call."""


class EspeakVoice:
    def __init__(self, library: Any, sample_rate: int, executor: ThreadPoolExecutor) -> None:
        self._library = library
        self._sample_rate = sample_rate
        self._executor = executor
        self._pcm = bytearray()
        self._callback = _SynthCallback(self._collect)
        library.espeak_SetSynthCallback(self._callback)

    @classmethod
    def load(cls) -> Self:
        """Blocking, about 30 ms. Raises ``EspeakError``."""
        library = ctypes.CDLL(espeakng_loader.get_library_path())
        sample_rate = library.espeak_Initialize(
            _AUDIO_OUTPUT_SYNCHRONOUS,
            _CHUNK_MS,
            espeakng_loader.get_data_path().encode(),
            _INITIALIZE_DONT_EXIT,
        )
        if sample_rate <= 0:
            raise EspeakError("espeak-ng could not be initialised")
        return cls(library, sample_rate, ThreadPoolExecutor(1, thread_name_prefix="espeak"))

    @property
    def sample_rate(self) -> int:
        return self._sample_rate

    def sentences(self, text: str) -> list[str]:
        """The whole text: it takes a few milliseconds."""
        return [text]

    async def say(self, sentence: str, *, locale: str) -> bytes:
        """Raises ``EspeakError`` if no voice speaks the language."""
        return await asyncio.get_running_loop().run_in_executor(
            self._executor, self._synthesise, sentence, locale
        )

    async def speak(self, text: str, *, locale: str) -> AsyncIterator[bytes]:
        for sentence in self.sentences(text):
            yield await self.say(sentence, locale=locale)

    async def aclose(self) -> None:
        await asyncio.get_running_loop().run_in_executor(
            self._executor, self._library.espeak_Terminate
        )
        self._executor.shutdown(wait=False)

    def _synthesise(self, text: str, locale: str) -> bytes:
        language = primary_language(locale)
        names = (locale.lower(), _VOICE_NAMES.get(language, language))
        if all(self._library.espeak_SetVoiceByName(name.encode()) != _OK for name in names):
            raise EspeakError(f"espeak-ng has no voice for {locale}")
        self._pcm.clear()
        encoded = text.encode()
        result = self._library.espeak_Synth(
            ctypes.c_char_p(encoded),
            ctypes.c_size_t(len(encoded) + 1),
            ctypes.c_uint(0),
            ctypes.c_int(_POSITION_CHARACTER),
            ctypes.c_uint(0),
            ctypes.c_uint(_CHARS_UTF8),
            None,
            None,
        )
        if result != _OK:
            raise EspeakError(f"espeak-ng could not speak (error {result})")
        return bytes(self._pcm)

    def _collect(self, samples: Any, count: int, _events: int | None) -> int:
        if samples and count > 0:
            self._pcm += ctypes.string_at(samples, count * ctypes.sizeof(ctypes.c_short))
        return 0
