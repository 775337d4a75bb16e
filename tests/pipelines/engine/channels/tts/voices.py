"""A supervised voice of the tests: a vendor's plugin on its stand-in, then the local voice."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import aiohttp
import httpx2
import numpy as np
import openai as openai_sdk
from livekit.agents import tts
from livekit.plugins import cartesia, deepgram, elevenlabs, openai

from contracts.call_plan import ProviderChoice
from pipelines.engine.channels.candidates import Candidate, Candidates
from pipelines.engine.channels.circuit_breaker import CircuitBreaker
from pipelines.engine.channels.tts.recorded_words import RecordedWords
from pipelines.engine.channels.tts.supervised_tts import RATE_HZ, LastResort, SupervisedTTS
from pipelines.engine.providers.local.local_tts import LocalTTS
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderDeadlines
from tests.pipelines.engine.actions import NotedReports
from tests.stand_ins.voice_faults import Samples, joined

Voice = tts.TTS[Any]


@dataclass
class Clock:
    now: float = 0.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Connections:
    session: aiohttp.ClientSession
    client: httpx2.AsyncClient

    def openai(self, base_url: str) -> Voice:
        client = openai_sdk.AsyncClient(
            api_key="any", base_url=base_url, max_retries=0, http_client=self.client
        )
        return openai.TTS(
            model="gpt-4o-mini-tts", voice="nova", client=client, response_format="pcm"
        )

    def elevenlabs(self, base_url: str) -> Voice:
        return elevenlabs.TTS(
            model="eleven_flash_v2_5",
            voice_id="rachel",
            encoding="pcm_24000",
            api_key="any",
            base_url=base_url,
            http_session=self.session,
        )

    def deepgram(self, base_url: str) -> Voice:
        return deepgram.TTS(api_key="any", base_url=base_url, http_session=self.session)

    def cartesia(self, base_url: str) -> Voice:
        return cartesia.TTS(api_key="any", base_url=base_url, http_session=self.session)


@dataclass
class Supervised:
    """One call's voice, and what it tells."""

    voice: SupervisedTTS
    reports: NotedReports
    clock: Clock
    metrics: list[Any] = field(default_factory=list)


def supervised(
    models: WarmModels, vendors: Sequence[tuple[str, Any]], *, has_local: bool = True
) -> Supervised:
    """
    Args:
        vendors: names of providers, and what builds their model.
    """
    clock, reports = Clock(), NotedReports()
    candidates = [
        Candidate(ProviderChoice(provider=name, model="voice"), build, CircuitBreaker(clock))
        for name, build in vendors
    ]
    hibari = models.local.hibari
    if has_local and hibari is not None:
        candidates.append(
            Candidate(
                ProviderChoice(provider="local", model="hibari-en"),
                lambda: LocalTTS(hibari, model="hibari-en", locale="en-US"),
            )
        )
    voice = SupervisedTTS(
        Candidates(candidates),
        ProviderDeadlines(),
        reports,
        LastResort(RecordedWords(RATE_HZ, {}), models.local.moonshine),
        locale="en-US",
    )
    made = Supervised(voice, reports, clock)
    voice.on("metrics_collected", made.metrics.append)
    return made


@dataclass
class Heard:
    sound: Samples
    longest_silence_seconds: float
    """From the end of the text to the first sound, or later with nothing left to play."""


async def reply(voice: SupervisedTTS, text: str) -> Heard:
    """Let it speak ``text``, which is written at once, and hear it as a caller would."""
    parts: list[Samples] = []
    longest = 0.0
    async with voice.stream() as stream:
        for word in text.split(" "):
            stream.push_text(f"{word} ")
        stream.end_input()
        plays_until = time.monotonic()
        async for audio in stream:
            now = time.monotonic()
            longest = max(longest, now - plays_until)
            plays_until = max(plays_until, now) + audio.frame.duration
            parts.append(np.frombuffer(audio.frame.data, np.int16))
    return Heard(joined(parts), longest)


async def settled(condition: Callable[[], bool], seconds: float = 3.0) -> None:
    """Return when ``condition()`` holds. Raises ``TimeoutError``."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - what it asks has no event
            await asyncio.sleep(0.01)
