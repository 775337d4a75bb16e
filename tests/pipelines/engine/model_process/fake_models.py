"""Quick models whose work waits until a test lets it go, and a process that serves them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from pipelines.engine.model_process.server import ModelServer
from pipelines.engine.providers.local.loaded_models import LoadedModels
from pipelines.engine.providers.local.speech_models import ModelError, Samples

FORBIDDEN = "forbidden"
BROKEN = "broken"
"""Texts that no fake voice speaks: it refuses the first, and fails with the second."""


class Gate:
    """Work in front of a closed gate has begun and does not end."""

    def __init__(self) -> None:
        self.begun: asyncio.Queue[Any] = asyncio.Queue()
        self.done: list[Any] = []
        self._open = asyncio.Event()
        self._open.set()
        self._held: Any = None

    def close(self, only: Any = None) -> None:
        """For all work, or only for one piece."""
        self._held = only
        self._open.clear()

    def open(self) -> None:
        self._open.set()

    async def passed(self, what: Any) -> None:
        self.begun.put_nowait(what)
        if self._held in (None, what):
            await self._open.wait()
        self.done.append(what)


class FakeRecogniser(Gate):
    """Hears how many samples there were."""

    async def transcribe(self, samples: Samples) -> str:
        await self.passed(len(samples))
        return f"{len(samples)} samples"

    async def transcribe_if_idle(self, samples: Samples) -> str | None:
        return await self.transcribe(samples)

    async def aclose(self) -> None: ...


class FakeVoice(Gate):
    """Speaks each sentence as its own bytes."""

    sample_rate = 8_000

    def sentences(self, text: str) -> list[str]:
        return [sentence.strip() + "." for sentence in text.split(".") if sentence.strip()]

    async def say(self, sentence: str, *, locale: str) -> bytes:
        await self.passed(sentence)
        if sentence == f"{FORBIDDEN}.":
            raise ModelError("this is not said")
        if sentence == f"{BROKEN}.":
            raise ValueError("a bug")
        return sound_of(sentence)

    async def speak(self, text: str, *, locale: str) -> AsyncIterator[bytes]:
        for sentence in self.sentences(text):
            yield await self.say(sentence, locale=locale)

    async def aclose(self) -> None: ...


class FakeEndOfTurn(Gate):
    async def predict(self, samples: Samples) -> float:
        await self.passed(len(samples))
        return len(samples) / 19_200

    async def aclose(self) -> None: ...


class FakeProcess:
    """A model process that a test can kill and start again."""

    def __init__(self, socket_path: Path) -> None:
        self.socket_path = socket_path
        self.recogniser, self.end_of_turn = FakeRecogniser(), FakeEndOfTurn()
        self.hibari, self.espeak = FakeVoice(), FakeVoice()
        self._running: tuple[ModelServer, asyncio.Server] | None = None

    async def start(self, **missing: None) -> None:
        loaded = {
            "moonshine": self.recogniser,
            "hibari": self.hibari,
            "espeak": self.espeak,
            "end_of_turn": self.end_of_turn,
        }
        server = ModelServer(cast(LoadedModels, SimpleNamespace(**(loaded | missing))))
        listening = await asyncio.start_unix_server(server.serve, self.socket_path)
        self._running = (server, listening)

    async def die(self) -> None:
        if self._running is not None:
            server, listening = self._running
            listening.close()
            self.socket_path.unlink()
            await server.aclose()
            self._running = None


def samples(count: int) -> Samples:
    return np.ones(count, np.int16)


def sound_of(sentence: str) -> bytes:
    return sentence.encode("utf-16-le")
