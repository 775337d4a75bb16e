"""Every recogniser and every voice of a vendor is left in time, for the models of this machine.

The language models of other vendors than OpenAI are in ``test_other_vendors_llm``.
"""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Literal, get_args

import numpy as np
import pytest

from contracts.call_plan import CallPlan, ProviderChoice, ResolvedChannel
from pipelines.engine.channels.circuit_breaker import CircuitBreakers
from pipelines.engine.channels.stt.stt_of_plan import supervised_stt
from pipelines.engine.channels.tts.tts_of_plan import supervised_tts
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import VENDOR_BASE_URLS, ProviderSettings
from tests.faults.cells import MOST_WAIT_MS
from tests.pipelines.conversations import words
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.channels.llm.two_vendors import closed_port
from tests.pipelines.engine.channels.stt.beeps import played, silence
from tests.pipelines.engine.channels.tts.said_twice import part_said_twice
from tests.pipelines.engine.channels.tts.voices import reply
from tests.pipelines.engine.providers.conftest import TlsFor
from tests.pipelines.engine.providers.vendor import vendor
from tests.pipelines.engine.providers.wires import WIRES, Wire
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins.deepgram_wire import FINAL_SECONDS, HZ
from tests.stand_ins.voice_faults import words_apart

pytestmark = pytest.mark.latency

Fault = Literal["refused", "refuses", "hangs", "disconnects"]
"""``refused``: nobody listens. ``refuses``: the status is 401."""
FAULTS: tuple[Fault, ...] = get_args(Fault)
MOST_WAIT_SECONDS = MOST_WAIT_MS / 1000
SENTENCE = "I would like to come next Tuesday afternoon."
BEGINS_SECONDS = 0.4


def of(channel: str) -> list[Wire]:
    return [wire for wire in WIRES if wire.channel == channel]


@contextlib.asynccontextmanager
async def failing(
    models: WarmModels, wire: Wire, fault: Fault, tls: ssl.SSLContext | None
) -> AsyncIterator[tuple[CallPlan, WarmModels]]:
    """A call with the wire's model, and the process that carries it."""
    async with contextlib.AsyncExitStack() as stack:
        if fault == "refused":
            address = f"{'https' if tls else 'http'}://127.0.0.1:{closed_port()}"
        else:
            address = (await stack.enter_async_context(vendor(fault, tls))).base_url
        choice = ProviderChoice(provider=wire.provider, model=wire.model, voice=wire.voice)
        plan = call_plan(
            stack=LOCAL_STACK.model_copy(update={wire.channel: ResolvedChannel(primary=choice)})
        )
        settings = ProviderSettings(
            api_keys={wire.provider: "k"},
            base_urls={name: f"{address}/{name}" for name in VENDOR_BASE_URLS},
        )
        warm = replace(
            models,
            settings=settings,
            tls=ssl.create_default_context(),
            breakers=CircuitBreakers(time.monotonic),
        )
        await warm.prepare(plan)
        yield plan, warm


@pytest.mark.parametrize("wire", of("stt"), ids=str)
async def test_what_a_recogniser_misses_is_understood_in_time(
    calling: WarmModels, tls_for: TlsFor, wire: Wire
) -> None:
    tls = tls_for(wire)
    voice = spoken(SENTENCE)
    sound = np.concatenate([silence(BEGINS_SECONDS), voice, silence(3)])
    ended_at = BEGINS_SECONDS + len(voice) / HZ

    async def check(fault: Fault) -> None:
        actions = NotedActions()
        async with failing(calling, wire, fault, tls) as (plan, models):
            supervised = supervised_stt(plan, models, actions)
            heard = await played(supervised.stream(), sound)
            await supervised.aclose()
        assert words(" ".join(heard.finals())) == words(SENTENCE), fault
        assert heard.last_final_at() - ended_at - FINAL_SECONDS < MOST_WAIT_SECONDS, fault
        taken_over_by = [each.taken_over_by for each in actions.channel_reports.switches]
        assert taken_over_by == ["local/moonshine-tiny-en"], fault

    await asyncio.gather(*map(check, FAULTS))


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("wire", of("tts"), ids=str)
async def test_what_a_voice_does_not_say_is_heard_in_time(
    calling: WarmModels, tls_for: TlsFor, wire: Wire, fault: Fault
) -> None:
    words_apart(SENTENCE)
    actions = NotedActions()
    async with failing(calling, wire, fault, tls_for(wire)) as (plan, models):
        voice = supervised_tts(plan, models, actions)
        heard = await reply(voice, SENTENCE)
        await voice.aclose()
    assert heard.longest_silence_seconds < MOST_WAIT_SECONDS
    assert await part_said_twice(calling, SENTENCE, heard.sound) == 0
    [switch] = actions.channel_reports.switches
    assert switch.failed == f"{wire.provider}/{wire.model}"
    assert switch.taken_over_by == "local/hibari-en"
