"""One call with barge-ins and faults, and what both sides have counted."""

from __future__ import annotations

import contextlib
import random
import time
from dataclasses import dataclass, replace

import aiohttp
import httpx2

from contracts.agent_config import Advanced, AgentConfig
from contracts.call_plan import CallPlan, ProviderChoice, ResolvedChannel, ResolvedStack
from pipelines.engine.channels.circuit_breaker import CircuitBreakers
from pipelines.engine.shared_models import WarmModels
from tests.pipelines.conversations import Call, conversation
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.usage.vendors import QUESTION, Totals, Vendors

TURNS = 3
LOCAL = "local"
PROMPT = (
    "You answer the telephone of a surgery, in which doctors see patients of every age. "
    "Tell callers when it is open, how they reach it and what they have to bring along. "
    "Never say what an illness might be, and never name a medicine. "
) * 24
"""Vendors cache the beginning of long prompts only."""


@dataclass(frozen=True)
class CountedCall:
    reported: Totals
    charged: Totals


async def counted_call(models: WarmModels, chance: random.Random) -> CountedCall:
    vendors = Vendors.of(chance)
    async with (
        vendors.serving() as settings,
        aiohttp.ClientSession() as http_session,
        httpx2.AsyncClient() as http_client,
    ):
        warm = replace(
            models,
            settings=settings,
            http_session=http_session,
            http_client=http_client,
            breakers=CircuitBreakers(time.monotonic),
        )
        plan = _plan()
        await warm.prepare(plan)
        async with conversation(plan, warm) as call:
            await talk(call, chance)
        return CountedCall(reported(call), vendors.charged())


async def talk(call: Call, chance: random.Random) -> None:
    for _ in range(TURNS):
        # A fault may cost the answer; what was used until then counts all the same.
        with contextlib.suppress(TimeoutError):
            await call.caller_says(QUESTION)
            if chance.random() < 0.5:
                await call.audio.agent_has_spoken(chance.uniform(0.2, 2.0))
                call.audio.mouth.say(spoken("Wait a moment, please."))
                await call.audio.caller_finishes()
                await call.audio.agent_starts(call.audio.mouth.last_voice_at)
            await call.audio.agent_finishes()


def _plan() -> CallPlan:
    return call_plan(
        AgentConfig(name="Ada", system_prompt=PROMPT, advanced=Advanced(prompt_mode="raw")),
        stack=ResolvedStack(
            stt=ResolvedChannel(
                primary=ProviderChoice(provider="deepgram", model="nova-3"),
            ),
            llm=ResolvedChannel(
                primary=ProviderChoice(provider="openai", model="first"),
                fallback=ProviderChoice(provider="spare", model="second"),
            ),
            tts=ResolvedChannel(
                primary=ProviderChoice(
                    provider="elevenlabs", model="eleven_flash_v2_5", voice="rachel"
                ),
                fallback=LOCAL_STACK.tts.primary,
            ),
        ),
    )


def reported(call: Call) -> Totals:
    """Of what the vendors have done; the models on this machine count for themselves."""
    usage = call.conversation.agents.usage
    reports = [each for each in usage.reports() if each.provider != LOCAL]
    models = [each for each in reports if each.channel == "llm"]
    return Totals(
        tokens_read=sum(each.input_tokens for each in models),
        tokens_written=sum(each.output_tokens for each in models),
        cached_tokens=sum(each.cached_input_tokens for each in models),
        reasoning_tokens=sum(each.reasoning_tokens for each in models),
        audio_tokens_read=sum(each.input_audio_tokens for each in models),
        cached_audio_tokens=sum(each.cached_input_audio_tokens for each in models),
        audio_tokens_written=sum(each.output_audio_tokens for each in models),
        characters=sum(each.characters for each in reports),
        heard_ms=sum(each.audio_ms for each in reports if each.channel == "stt"),
        spoken_ms=sum(each.audio_ms for each in reports if each.channel == "tts"),
    )
