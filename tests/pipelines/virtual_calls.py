"""Conversations in virtual time: the real engine and models, but no computing takes time, except as
long as a quiet core would need for a model. So what is measured does not depend on the machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar
from unittest.mock import patch

from livekit.agents import llm

from pipelines.engine.providers.local.speech_models import (
    HEARING_RATE,
    EndOfTurn,
    LocalModels,
    Recogniser,
    Samples,
    Voice,
)
from tests.runtime.virtual_time import VirtualTimeLoop

T = TypeVar("T")

_BEGAN_AT = 4_000_000_000.0
"""Later than everything that the engine dates with the real clock: its history is in this order."""
_TEXT_SECONDS = 0.015
_TEXT_SHARE_OF_SOUND = 0.025
_END_OF_TURN_SECONDS = 0.025
_VOICE_SHARE_OF_SOUND = 0.06
_SAMPLE_BYTES = 2


def run(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """``main`` in an event loop whose time, and that of the clocks, is virtual."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner, _clocks_of(runner.get_loop()):
        return runner.run(main())


@contextlib.contextmanager
def _clocks_of(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    with (
        patch("time.time", lambda: _BEGAN_AT + loop.time()),
        patch("time.monotonic", loop.time),
        patch("time.perf_counter", loop.time),
        patch.object(llm.ChatMessage, "__init__", _dated),
    ):
        yield


_undated = llm.ChatMessage.__init__


def _dated(message: llm.ChatMessage, **fields: Any) -> None:
    """By the virtual clock: the class has kept the real one."""
    _undated(message, **{"created_at": time.time(), **fields})


@dataclass(frozen=True)
class OnQuietCore:
    """Models that take the virtual time which they would take on a quiet core.

    Sentences that the voice has spoken are kept.
    """

    models: LocalModels
    spoken: dict[str, list[bytes]]

    @property
    def moonshine(self) -> Recogniser | None:
        return None if self.models.moonshine is None else _Recogniser(self.models.moonshine)

    @property
    def hibari(self) -> Voice | None:
        return None if self.models.hibari is None else _Voice(self.models.hibari, self.spoken)

    @property
    def espeak(self) -> Voice | None:
        return self.models.espeak

    @property
    def end_of_turn(self) -> EndOfTurn | None:
        return None if self.models.end_of_turn is None else _EndOfTurn(self.models.end_of_turn)

    @property
    def oldest_request_seconds(self) -> float:
        return 0.0

    async def aclose(self) -> None:
        await self.models.aclose()


@dataclass(frozen=True)
class _Recogniser:
    model: Recogniser

    async def transcribe(self, samples: Samples) -> str:
        await asyncio.sleep(_TEXT_SECONDS + _TEXT_SHARE_OF_SOUND * samples.size / HEARING_RATE)
        return await self.model.transcribe(samples)

    async def transcribe_if_idle(self, samples: Samples) -> str | None:
        return await self.transcribe(samples)


@dataclass(frozen=True)
class _EndOfTurn:
    model: EndOfTurn

    async def predict(self, samples: Samples) -> float:
        await asyncio.sleep(_END_OF_TURN_SECONDS)
        return await self.model.predict(samples)


@dataclass(frozen=True)
class _Voice:
    model: Voice
    spoken: dict[str, list[bytes]]

    @property
    def sample_rate(self) -> int:
        return self.model.sample_rate

    async def speak(self, text: str, *, locale: str) -> AsyncIterator[bytes]:
        if text not in self.spoken:
            self.spoken[text] = [part async for part in self.model.speak(text, locale=locale)]
        for part in self.spoken[text]:
            sound_seconds = len(part) / _SAMPLE_BYTES / self.sample_rate
            await asyncio.sleep(_VOICE_SHARE_OF_SOUND * sound_seconds)
            yield part
