"""Calls with a realtime model on this machine, the real plugin or SDK between them, and a pipeline
whose language model is another server here; its recogniser and its voice are our own."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from typing import Any

import aiohttp
import httpx2
import numpy as np

from contracts.agent_config import AgentConfig
from contracts.call_plan import CallPlan, ProviderChoice, ResolvedChannel, ResolvedStack
from pipelines.engine.channels.circuit_breaker import CircuitBreakers
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderDeadlines, ProviderSettings
from tests.pipelines.conversations import Call, conversation
from tests.pipelines.engine.channels.llm.two_vendors import Clock
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins.google_live import GoogleLiveServer
from tests.stand_ins.openai_realtime import OpenAIRealtime
from tests.stand_ins.openai_wire import OpenAIWire, says

OPENAI = ProviderChoice(provider="openai", model="gpt-realtime", voice="marin")
GOOGLE = ProviderChoice(provider="google", model="gemini-3.8-live", voice="Puck")
PIPELINE = "local/moonshine-tiny-en, spare/second, local/hibari-en"
QUESTION = "What are your opening hours?"
_QUIET = 200


@dataclass(frozen=True)
class RealtimeCall:
    talk: Call
    spare: OpenAIWire
    models: WarmModels
    plan: CallPlan


def realtime_plan(agent: AgentConfig | None = None, one: ProviderChoice = OPENAI) -> CallPlan:
    silent = ResolvedChannel(primary=one.model_copy(update={"voice": None}))
    llm = ResolvedChannel(primary=ProviderChoice(provider="spare", model="second"))
    stack = ResolvedStack(
        mode="realtime",
        stt=silent,
        llm=silent,
        tts=ResolvedChannel(primary=one),
        pipeline=LOCAL_STACK.model_copy(update={"llm": llm}),
    )
    return call_plan(agent, stack=stack)


@contextlib.asynccontextmanager
async def realtime_call(
    models: WarmModels,
    wire: OpenAIRealtime | GoogleLiveServer,
    spare: OpenAIWire | None = None,
    *,
    agent: AgentConfig | None = None,
    plan: CallPlan | None = None,
    breakers: CircuitBreakers | None = None,
    tls: ssl.SSLContext | None = None,
    deadlines: ProviderDeadlines | None = None,
) -> AsyncIterator[RealtimeCall]:
    """
    Args:
        plan: instead of one of ``agent``.
        tls: trusts the server.
    """
    one = OPENAI if isinstance(wire, OpenAIRealtime) else GOOGLE
    spare = spare or OpenAIWire([says("We close at six.")])
    # To make this sound holds the loop up, which the deadlines would notice.
    spoken(QUESTION)
    async with (
        wire.serving(),
        spare.serving(),
        aiohttp.ClientSession() as http_session,
        httpx2.AsyncClient() as http_client,
    ):
        warm = replace(
            models,
            settings=ProviderSettings(
                api_keys={one.provider: "k", "spare": "k"},
                base_urls={one.provider: wire.base_url, "spare": spare.base_url},
                deadlines=deadlines or ProviderDeadlines(),
            ),
            tls=tls or models.tls,
            http_session=http_session,
            http_client=http_client,
            breakers=breakers or CircuitBreakers(Clock()),
        )
        plan = plan or realtime_plan(agent, one)
        await warm.prepare(plan)
        async with conversation(plan, warm) as talk:
            yield RealtimeCall(talk, spare, warm, plan)


def words_heard(played: list[Any]) -> int:
    """How many of the stand-in's words are in what the caller heard: each is a tone with silence
    after it."""
    loud = [bool(np.abs(tick).max() > _QUIET) for tick in played]
    return sum(now and not before for before, now in zip([False, *loud], loud, strict=False))
