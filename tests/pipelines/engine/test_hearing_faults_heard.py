"""The recogniser fails during a real conversation: what is understood, and when the caller hears an
answer."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import aiohttp
import httpx2
import pytest

from contracts.call_plan import ProviderChoice, ResolvedChannel
from pipelines.engine.channels.circuit_breaker import CircuitBreakers
from pipelines.engine.channels.reports import ChannelSwitch
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from tests.faults.cells import MOST_WAIT_MS, HowLong
from tests.pipelines.conversations import Call, conversation, words
from tests.pipelines.engine.channels.llm.two_vendors import closed_port
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins import deepgram_wire as wire
from tests.stand_ins.deepgram_wire import Behaviour, DeepgramWire, Samples
from tests.stand_ins.openai_wire import OpenAIWire, says

pytestmark = pytest.mark.latency

QUESTION = "I would like to come next Tuesday afternoon."
ANSWER = "You are welcome."
WORKS = Behaviour()
IN_THE_WORDS_SECONDS = 1.5
"""Of sound, after which the recogniser fails that has begun to hear them."""
FAULTS: dict[str, Sequence[Behaviour]] = {
    "refused": (),
    "401": [wire.status(401)],
    "429": [wire.status(429)],
    "500": [wire.status(500)],
    "hang first": [wire.hangs_at_first()],
    "no text": [wire.hangs()],
    "hang mid": [wire.hangs(IN_THE_WORDS_SECONDS)],
    "disconnect mid": [wire.drops(IN_THE_WORDS_SECONDS)],
    "garbage": [wire.sends_garbage(IN_THE_WORDS_SECONDS)],
    "slow x 10": [wire.slow(3.0)],
}
"""Without a behaviour, no server listens."""
ONCE = ("500", "hang mid", "disconnect mid")
"""Over with the next connection: a second one to the same recogniser would double words."""
CELLS = [*((fault, "for ever") for fault in FAULTS), *((fault, "once") for fault in ONCE)]

Transcribe = Callable[[Samples], Awaitable[str]]


@dataclass(frozen=True)
class Answered:
    heard: list[str]
    waited_seconds: float
    """From the caller's last sound to the agent's first."""
    switches: list[ChannelSwitch]


@contextlib.asynccontextmanager
async def heard_by(
    models: WarmModels, transcribe: Transcribe, behaviours: Sequence[Behaviour]
) -> AsyncIterator[Call]:
    """A call whose recogniser behaves like that, with our own behind it."""
    stack = LOCAL_STACK.model_copy(
        update={
            "stt": ResolvedChannel(primary=ProviderChoice(provider="deepgram", model="nova-3")),
            "llm": ResolvedChannel(primary=ProviderChoice(provider="openai", model="gpt-4.1")),
        }
    )
    plan = call_plan(stack=stack)
    async with (
        DeepgramWire(transcribe, behaviours).serving() as recogniser,
        OpenAIWire([says(ANSWER)]).serving() as llm,
        aiohttp.ClientSession() as http_session,
        httpx2.AsyncClient() as http_client,
    ):
        listening = recogniser.base_url.removesuffix("/listen")
        nobody = f"http://127.0.0.1:{closed_port()}/v1"
        warm = replace(
            models,
            settings=ProviderSettings(
                api_keys={"deepgram": "k", "openai": "k"},
                base_urls={
                    "deepgram": listening if behaviours else nobody,
                    "openai": llm.base_url,
                },
            ),
            http_session=http_session,
            http_client=http_client,
            breakers=CircuitBreakers(time.monotonic),
        )
        await warm.prepare(plan)
        async with conversation(plan, warm) as talk:
            yield talk


async def answered(
    models: WarmModels, transcribe: Transcribe, behaviours: Sequence[Behaviour]
) -> Answered:
    async with heard_by(models, transcribe, behaviours) as talk:
        waited_seconds = await talk.caller_says(QUESTION)
        await talk.messages("assistant", 1)
        reports = talk.actions.channel_reports
        assert reports.exhaustions == []
        return Answered(talk.said_by("user"), waited_seconds, reports.switches)


@pytest.mark.parametrize(("fault", "how_long"), CELLS)
async def test_a_caller_is_understood_once_and_answered_soon(
    warm_models: WarmModels, transcribe: Transcribe, fault: str, how_long: HowLong
) -> None:
    afterwards = [WORKS] if how_long == "once" else []
    # To make this sound holds the loop up, which the deadlines would notice.
    spoken(QUESTION)
    with_fault, usual = await asyncio.gather(
        answered(warm_models, transcribe, [*FAULTS[fault], *afterwards]),
        answered(warm_models, transcribe, [WORKS]),
    )
    for each in (with_fault, usual):
        assert words(" ".join(each.heard)) == words(QUESTION)
    assert usual.switches == []
    assert [(each.failed, each.taken_over_by) for each in with_fault.switches] == [
        ("deepgram/nova-3", "local/moonshine-tiny-en")
    ]
    assert with_fault.waited_seconds - usual.waited_seconds < MOST_WAIT_MS / 1000
