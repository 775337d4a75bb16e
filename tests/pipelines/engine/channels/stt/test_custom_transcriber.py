"""Every fault of a tenant's own transcriber: each word that was spoken is there once, in time."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from contracts.agent_config import AgentConfig
from contracts.call_plan import CallPlan, ProviderChoice, ResolvedChannel
from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy
from pipelines.engine.channels.circuit_breaker import CircuitBreakers
from pipelines.engine.channels.stt.stt_of_plan import supervised_stt
from pipelines.engine.shared_models import WarmModels
from tests.faults.cells import MOST_WAIT_MS, OwnEndpoint, note
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.channels.stt.beeps import Heard, played, silence
from tests.pipelines.engine.speech import spoken
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins import deepgram_wire as wire
from tests.stand_ins.custom_transcriber import CustomTranscriber
from tests.stand_ins.deepgram_wire import FINAL_SECONDS, HZ, Behaviour, Samples
from tests.stand_ins.own_tls import OwnTls

pytestmark = pytest.mark.latency

FIRST, SECOND = "My name is Anna Miller.", "I would like to come next Tuesday afternoon."
BEGINS_SECONDS = 0.4
PAUSE_SECONDS = 0.8
TEN_TIMES_SLOWER_SECONDS = 3.0
"""Texts usually come within 0.3 s."""
WORKS = Behaviour()
ENDPOINT: OwnEndpoint = "custom_transcriber"
Transcribe = Callable[[Samples], Awaitable[str]]


@dataclass
class Call:
    heard: Heard
    actions: NotedActions
    server: CustomTranscriber

    @property
    def switches(self) -> list[tuple[str, str]]:
        switches = self.actions.channel_reports.switches
        return [(each.failed, each.taken_over_by) for each in switches]


def plan_with(url: str) -> CallPlan:
    choice = ProviderChoice(provider="custom", model="ours", key_source="own")
    agent = AgentConfig.model_validate(
        {"name": "Ada", "custom_transcriber_url": url, "advanced": {"stt_keywords": "Miller"}}
    )
    stt = ResolvedChannel(primary=choice)
    return call_plan(agent, stack=LOCAL_STACK.model_copy(update={"stt": stt}))


async def listened(
    models: WarmModels,
    server: CustomTranscriber,
    sound: Samples,
    network: GuardedNetwork,
    url: str | None = None,
) -> Call:
    """A call with the transcriber, then the local one."""
    actions = NotedActions()
    async with server.serving():
        warm = replace(models, tenants_network=network, breakers=CircuitBreakers(time.monotonic))
        supervised = supervised_stt(plan_with(url or server.url), warm, actions)
        heard = await played(supervised.stream(), sound)
        await supervised.aclose()
    return Call(heard, actions, server)


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def waited_seconds(call: Call, voice_ended_at: float) -> float:
    return call.heard.last_final_at() - voice_ended_at - FINAL_SECONDS


def assert_all_was_heard_once_and_in_time(call: Call, text: str, voice_ended_at: float) -> None:
    assert words(" ".join(call.heard.finals())) == words(text)
    assert waited_seconds(call, voice_ended_at) <= MOST_WAIT_MS / 1000
    assert not call.actions.channel_reports.exhaustions


AT_FIRST = {
    "closed at once": [wire.refuses()],
    "401": [wire.status(401)],
    "429": [wire.status(429)],
    "500": [wire.status(500)],
    "hang first": [wire.hangs_at_first()],
    "no text": [wire.hangs()],
    "slow x 10": [wire.slow(TEN_TIMES_SLOWER_SECONDS)],
}


@pytest.mark.parametrize("fault", [*AT_FIRST, "refused"])
@pytest.mark.asyncio(loop_scope="session")
async def test_one_that_fails_at_first_is_not_noticed(
    warm_models: WarmModels,
    transcribe: Transcribe,
    tls: OwnTls,
    record_property: Callable[[str, object], None],
    fault: str,
) -> None:
    voice = spoken(SECOND)
    sound = np.concatenate([silence(BEGINS_SECONDS), voice, silence(3)])
    server = CustomTranscriber(tls.server, transcribe, AT_FIRST.get(fault, [WORKS]))
    nobody = "wss://127.0.0.1:1/listen" if fault == "refused" else None
    call = await listened(warm_models, server, sound, tls.network, nobody)
    ended_at = BEGINS_SECONDS + len(voice) / HZ
    note(record_property, ENDPOINT, fault, "for ever", waited_seconds(call, ended_at))
    assert_all_was_heard_once_and_in_time(call, SECOND, ended_at)
    assert call.switches == [("custom/ours", "local/moonshine-tiny-en")]


IN_THE_MIDDLE = {
    "hang mid": wire.hangs,
    "disconnect mid": wire.drops,
    "end mid": wire.ends,
    "garbage": wire.sends_garbage,
}


@pytest.mark.parametrize("fault", IN_THE_MIDDLE)
@pytest.mark.asyncio(loop_scope="session")
async def test_one_that_fails_in_the_middle_is_not_noticed(
    warm_models: WarmModels,
    transcribe: Transcribe,
    tls: OwnTls,
    record_property: Callable[[str, object], None],
    fault: str,
) -> None:
    first, second = spoken(FIRST), spoken(SECOND)
    sound = np.concatenate(
        [silence(BEGINS_SECONDS), first, silence(PAUSE_SECONDS), second, silence(3)]
    )
    second_begins = BEGINS_SECONDS + len(first) / HZ + PAUSE_SECONDS
    positions: Sequence[float] = (second_begins - PAUSE_SECONDS + 0.6, second_begins + 1.1)
    calls = await asyncio.gather(
        *(
            listened(
                warm_models,
                CustomTranscriber(tls.server, transcribe, [IN_THE_MIDDLE[fault](after)]),
                sound,
                tls.network,
            )
            for after in positions
        )
    )
    ended_at = second_begins + len(second) / HZ
    longest_seconds = max(waited_seconds(call, ended_at) for call in calls)
    note(record_property, ENDPOINT, fault, "for ever", longest_seconds)
    for call in calls:
        assert_all_was_heard_once_and_in_time(call, f"{FIRST} {SECOND}", ended_at)
        assert call.switches == [("custom/ours", "local/moonshine-tiny-en")]


@pytest.mark.parametrize("gives_interim", [True, False])
@pytest.mark.asyncio(loop_scope="session")
async def test_one_that_works_is_left_alone_with_or_without_interim_texts(
    warm_models: WarmModels, transcribe: Transcribe, tls: OwnTls, gives_interim: bool
) -> None:
    sound = np.concatenate([silence(BEGINS_SECONDS), spoken(SECOND), silence(2)])
    server = CustomTranscriber(tls.server, transcribe, gives_interim=gives_interim)
    call = await listened(warm_models, server, sound, tls.network)
    assert words(" ".join(call.heard.finals())) == words(SECOND)
    assert call.switches == []
    assert server.starts == [
        {
            "type": "start",
            "sample_rate": 16_000,
            "language": "en-US",
            "model": "ours",
            "keywords": ["Miller"],
        }
    ]


@pytest.mark.asyncio(loop_scope="session")
async def test_an_address_that_leads_into_a_private_network_is_never_asked(
    warm_models: WarmModels, transcribe: Transcribe, tls: OwnTls
) -> None:
    """It was public when it was saved."""
    network = GuardedNetwork(OutboundPolicy())
    sound = np.concatenate([silence(BEGINS_SECONDS), spoken(FIRST), silence(2)])
    server = CustomTranscriber(tls.server, transcribe)
    call = await listened(warm_models, server, sound, network)
    assert words(" ".join(call.heard.finals())) == words(FIRST)
    assert server.connections == 0
    network.close()
