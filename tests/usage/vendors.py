"""Vendors that count what they would charge for, and misbehave now and then."""

from __future__ import annotations

import contextlib
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

from pipelines.settings import ProviderSettings
from tests.stand_ins.deepgram_wire import Behaviour, DeepgramWire, Samples, drops
from tests.stand_ins.elevenlabs_voice import ElevenLabsVoice
from tests.stand_ins.openai_wire import (
    Answer,
    OpenAIWire,
    TokenBill,
    breaks,
    hangs,
    paced,
    says,
)
from tests.stand_ins.voice_faults import VOICE_HZ, Misbehaviour, VoiceFault

ANSWER = (
    "We are open from Monday to Friday, from eight in the morning until six in the evening, and "
    "on Saturdays by appointment only. You can reach us by telephone or come to the front desk."
)
QUESTION = "When are you open?"
TOKEN_SECONDS = 0.02
REASONING_TOKENS = 12
"""Of the spare model, before each answer."""
LLM_FAULTS = ("none", "none", "disconnects", "hangs", "hangs at first")
VOICE_FAULTS = (None, None, VoiceFault.DISCONNECT_MID, VoiceFault.HANG_MID)
STT_FAULTS = ("none", "none", "drops")


@dataclass(frozen=True)
class Totals:
    """What was used, by one side's count."""

    tokens_read: int = 0
    tokens_written: int = 0
    cached_tokens: int = 0
    """As far as vendors tell them."""
    reasoning_tokens: int = 0
    audio_tokens_read: int = 0
    """Of a realtime model, as the next two."""
    cached_audio_tokens: int = 0
    audio_tokens_written: int = 0
    characters: int = 0
    heard_ms: int = 0
    spoken_ms: int = 0


@dataclass
class Vendors:
    """Those of one call."""

    llm: OpenAIWire
    spare: OpenAIWire
    voice: ElevenLabsVoice
    recogniser: DeepgramWire

    @classmethod
    def of(cls, chance: random.Random) -> Vendors:
        bill = TokenBill()
        first = _language_model(chance.choice(LLM_FAULTS), bill, chance.randrange(1, 4))
        voice = chance.choice(VOICE_FAULTS)
        return cls(
            llm=first,
            spare=_language_model("none", bill, 0, REASONING_TOKENS),
            voice=ElevenLabsVoice(Misbehaviour(voice, 1, after_seconds=1.0)),
            recogniser=DeepgramWire(_understood, _behaviours(chance.choice(STT_FAULTS))),
        )

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[ProviderSettings]:
        async with (
            self.llm.serving(),
            self.spare.serving(),
            self.voice.serving(),
            self.recogniser.serving(),
        ):
            yield ProviderSettings(
                api_keys=dict.fromkeys(("openai", "spare", "elevenlabs", "deepgram"), "k"),
                base_urls={
                    "openai": self.llm.base_url,
                    "spare": self.spare.base_url,
                    "elevenlabs": self.voice.base_url,
                    "deepgram": self.recogniser.base_url.removesuffix("/listen"),
                },
            )

    def charged(self) -> Totals:
        assert self.llm.bill is not None
        return Totals(
            tokens_read=self.llm.bill.read,
            tokens_written=self.llm.bill.written,
            cached_tokens=self.llm.bill.cached,
            reasoning_tokens=self.llm.bill.reasoning,
            characters=self.voice.characters,
            heard_ms=round(1000 * sum(self.recogniser.heard_seconds)),
            spoken_ms=round(1000 * self.voice.made_samples / VOICE_HZ),
        )


def _language_model(
    fault: str, bill: TokenBill, at_request: int, reasoning_tokens: int = 0
) -> OpenAIWire:
    """Has its fault once, in the ``at_request``-th request."""
    requests = 0

    def answer(asked: dict[str, Any]) -> Answer:
        nonlocal requests
        requests += 1
        whole = paced(says(_missing_of(asked)), TOKEN_SECONDS)
        if requests != at_request or fault == "none":
            return whole
        if fault == "hangs at first":
            return hangs()
        return breaks(whole, "hangs" if fault == "hangs" else "disconnects", 8)

    return OpenAIWire(answer_to=answer, bill=bill, reasoning_tokens=reasoning_tokens)


def _missing_of(asked: dict[str, Any]) -> str:
    """Of an answer that another model has begun, the rest."""
    messages = asked["messages"]
    if messages[-1]["role"] == "system" and messages[-2]["role"] == "assistant":
        return ANSWER.removeprefix(messages[-2]["content"]).lstrip()
    return ANSWER


async def _understood(heard: Samples) -> str:
    return QUESTION


def _behaviours(fault: str) -> tuple[Behaviour, ...]:
    return (drops(4.0), Behaviour()) if fault == "drops" else (Behaviour(),)
