"""A caller hears an answer, whatever a tenant's own voice does, in both formats."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from typing import Any, Literal

import pytest

from contracts.agent_config import AgentConfig
from contracts.call_plan import CallPlan, ProviderChoice, ResolvedChannel
from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy
from pipelines.engine.channels.circuit_breaker import LONGEST_PAUSE_SECONDS, CircuitBreakers
from pipelines.engine.channels.tts.tts_of_plan import supervised_tts
from pipelines.engine.shared_models import WarmModels
from tests.faults.cells import MOST_WAIT_MS, OwnEndpoint, note
from tests.pipelines.conversations import words
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.channels.tts.said_twice import (
    MOST_OF_A_WORD,
    MOST_WORDS_OFF,
    part_said_twice,
    words_said_twice,
)
from tests.pipelines.engine.channels.tts.voices import Clock, Supervised, reply, settled
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins.custom_voice import CustomVoice
from tests.stand_ins.hearing import transcript
from tests.stand_ins.openai_voice import OpenAIVoice
from tests.stand_ins.own_tls import OwnTls
from tests.stand_ins.voice_faults import Misbehaviour, Pace, VoiceFault, speech, words_apart

SENTENCES = (
    "The doctor sees patients every Monday, Tuesday and Friday morning.",
    "Please come early and bring something to read.",
)
TEXT = " ".join(SENTENCES)
LATER = "You can reach us by telephone until six in the evening."
"""A voice that breaks off does so within it, and another one says its end."""
MOST_SILENCE_SECONDS = MOST_WAIT_MS / 1000
IN_THE_MIDDLE = (VoiceFault.HANG_MID, VoiceFault.DISCONNECT_MID, VoiceFault.SLOW)
Mode = Literal["svc", "compat"]
ENDPOINTS: dict[Mode, OwnEndpoint] = {
    "svc": "custom_voice svc",
    "compat": "custom_voice compat",
}
CELLS = [
    pytest.param(mode, fault, id=f"{mode}-{fault.value}")
    for mode in ("svc", "compat")
    for fault in VoiceFault
]


@pytest.fixture(autouse=True, scope="module")
def _synthesised_before() -> None:
    """The servers run in the loop of the tests, and would stop it to make their sound."""
    for sentence in (*SENTENCES, LATER):
        words_apart(sentence)
        speech(sentence)


def server(
    mode: Mode, tls: OwnTls, fault: VoiceFault | None, left: int | None, after: float = 2.4
) -> AbstractAsyncContextManager[Any]:
    pace = Pace(speed=2.0) if fault is VoiceFault.SLOW else Pace()
    misbehaviour = Misbehaviour(fault, left, after)
    if mode == "svc":
        return CustomVoice(tls.server, misbehaviour, pace).serving()
    voice = OpenAIVoice(misbehaviour, pace, is_fluent=fault is None, tls=tls.server)
    return voice.serving()


def plan_with(mode: Mode, url: str) -> CallPlan:
    voice = ProviderChoice(provider="custom", model="ours", voice="nova", key_source="own")
    return call_plan(
        AgentConfig(name="Ada", custom_voice_url=url, custom_voice_mode=mode),
        stack=LOCAL_STACK.model_copy(update={"tts": ResolvedChannel(primary=voice)}),
    )


def calling(models: WarmModels, mode: Mode, served: Any, network: GuardedNetwork) -> Supervised:
    """A call with the voice, then the local one."""
    clock, actions = Clock(), NotedActions()
    url = served.url if mode == "svc" else served.base_url
    warm = replace(models, tenants_network=network, breakers=CircuitBreakers(clock))
    voice = supervised_tts(plan_with(mode, url), warm, actions)
    made = Supervised(voice, actions.channel_reports, clock)
    voice.on("metrics_collected", made.metrics.append)
    return made


@pytest.mark.latency
@pytest.mark.parametrize("left", [1, None], ids=["once", "for ever"])
@pytest.mark.parametrize(("mode", "fault"), CELLS)
async def test_an_answer_is_heard_whatever_the_voice_does(
    warm_models: WarmModels,
    tls: OwnTls,
    record_property: Callable[[str, object], None],
    mode: Mode,
    fault: VoiceFault,
    left: int | None,
) -> None:
    async with server(mode, tls, fault, left) as served:
        call = calling(warm_models, mode, served, tls.network)
        first = await reply(call.voice, TEXT)
        if left is None:
            waited_seconds = first.longest_silence_seconds
            note(record_property, ENDPOINTS[mode], fault.value, "for ever", waited_seconds)
        assert first.longest_silence_seconds < MOST_SILENCE_SECONDS
        if mode == "svc" or fault not in IN_THE_MIDDLE:
            assert await part_said_twice(warm_models, TEXT, first.sound) < MOST_OF_A_WORD
        else:
            # The format tells no words' times: where it broke off is guessed by hearing.
            assert abs(await words_said_twice(warm_models, TEXT, first.sound)) <= MOST_WORDS_OFF
        [switch] = call.reports.switches
        assert (switch.failed, switch.taken_over_by) == ("custom/ours", "local/hibari-en")
        assert "127.0.0.1" not in switch.why

        await reply(call.voice, LATER)
        assert len(call.reports.switches) == 1, "it is not asked while it rests"

        if left is not None and fault is VoiceFault.REFUSED:
            await served.open()
        call.clock.now += LONGEST_PAUSE_SECONDS
        third = await reply(call.voice, LATER)
        assert third.longest_silence_seconds < MOST_SILENCE_SECONDS
        assert words(await transcript(warm_models, third.sound))[-1] == "evening"
        if left is not None:
            assert len(call.reports.switches) == 1
        assert call.reports.exhaustions == []
        await call.voice.aclose()


@pytest.mark.parametrize("mode", ["svc", "compat"])
async def test_a_healthy_voice_speaks_alone_and_is_counted_under_the_plan_s_names(
    warm_models: WarmModels, tls: OwnTls, mode: Mode
) -> None:
    async with server(mode, tls, None, None) as served:
        call = calling(warm_models, mode, served, tls.network)
        call.voice.prewarm()
        heard = await reply(call.voice, TEXT)
        assert words(await transcript(warm_models, heard.sound)) == words(TEXT)
        assert call.reports.switches == []
        names = {(m.metadata.model_provider, m.metadata.model_name) for m in call.metrics}
        assert names == {("custom", "ours")}
        await call.voice.aclose()


@pytest.mark.parametrize("mode", ["svc", "compat"])
async def test_an_interruption_is_not_a_fault_and_tells_the_server_to_stop(
    warm_models: WarmModels, tls: OwnTls, mode: Mode
) -> None:
    async with server(mode, tls, VoiceFault.HANG_MID, None) as served:
        call = calling(warm_models, mode, served, tls.network)
        async with call.voice.stream() as stream:
            stream.push_text(TEXT)
            stream.end_input()
            await anext(aiter(stream))
        assert call.reports.switches == []
        await call.voice.aclose()
        if mode == "svc":
            await settled(lambda: served.open_sockets == 0)
        else:
            await settled(lambda: served.open_requests == 0)
        first, *_ = call.voice.voices.candidates.attempts()
        assert first.choice.provider == "custom", "its breaker has not opened"


@pytest.mark.parametrize("mode", ["svc", "compat"])
async def test_an_address_that_leads_into_a_private_network_is_never_asked(
    warm_models: WarmModels, tls: OwnTls, mode: Mode
) -> None:
    """It was public when it was saved."""
    network = GuardedNetwork(OutboundPolicy())
    async with server(mode, tls, None, None) as served:
        call = calling(warm_models, mode, served, network)
        heard = await reply(call.voice, TEXT)
        assert words(await transcript(warm_models, heard.sound)) == words(TEXT)
        [switch] = call.reports.switches
        assert switch.why.endswith("(AddressRefused)")
        assert served.paths == []
        await call.voice.aclose()
    network.close()
