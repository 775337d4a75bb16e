"""Every fault of a recogniser, with the real plugin on the real wire and the real local recogniser:
each word that was spoken is there once, in time."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import aiohttp
import numpy as np
import pytest
import pytest_asyncio
from livekit.agents import stt
from livekit.plugins import deepgram

from contracts.agent_config import Advanced
from pipelines.engine.channels.candidates import Candidates
from pipelines.engine.channels.circuit_breaker import CircuitBreaker
from pipelines.engine.channels.stt.supervised_stt import SupervisedSTT
from pipelines.engine.providers.local.moonshine_stt import MoonshineSTT
from pipelines.engine.shared_models import WarmModels
from pipelines.engine.turn_handling import voice_activity
from pipelines.settings import ProviderDeadlines
from tests.faults.cells import MOST_WAIT_MS, HowLong, note
from tests.pipelines.engine.channels.stt.beeps import Heard, Reports, candidate, played, silence
from tests.pipelines.engine.speech import spoken
from tests.stand_ins import deepgram_wire as wire
from tests.stand_ins.deepgram_wire import FINAL_SECONDS, HZ, Behaviour, DeepgramWire, Samples

pytestmark = pytest.mark.latency

FIRST, SECOND = "My name is Anna Miller.", "I would like to come next Tuesday afternoon."
BEGINS_SECONDS = 0.4
PAUSE_SECONDS = 0.8
TEN_TIMES_SLOWER_SECONDS = 3.0
"""Texts usually come within 0.3 s."""
WORKS = Behaviour()


@dataclass
class Call:
    heard: Heard
    reports: Reports
    seconds: dict[str, float]
    connections: int

    def waited_seconds(self, voice_ended_at: float) -> float:
        """How much later than usual the last words came."""
        return self.heard.last_final_at() - voice_ended_at - FINAL_SECONDS


NOBODY: Sequence[Behaviour] = ()
"""No server listens at all."""

Listen = Callable[[Sequence[Behaviour], Samples], Awaitable[Call]]


@pytest_asyncio.fixture(loop_scope="session")
async def listen(
    warm_models: WarmModels, transcribe: Callable[[Samples], Awaitable[str]]
) -> AsyncIterator[Listen]:
    """Plays sound into a call whose recogniser behaves as told; the local one is the fallback."""
    complaints: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    tasks_before = asyncio.all_tasks()
    moonshine = warm_models.local.moonshine
    assert moonshine is not None

    async def one_call(behaviours: Sequence[Behaviour], sound: Samples) -> Call:
        reports, seconds = Reports(), dict[str, float]()
        async with (
            DeepgramWire(transcribe, behaviours).serving() as server,
            aiohttp.ClientSession() as http,
        ):
            address = server.base_url if behaviours else await nobodys_address()
            primary = deepgram.STT(api_key="any", base_url=address, http_session=http)
            local = MoonshineSTT(moonshine, voice_activity(Advanced()))
            supervised = SupervisedSTT(
                Candidates(
                    [
                        candidate("deepgram", primary, CircuitBreaker(time.monotonic)),
                        candidate("local", local),
                    ]
                ),
                ProviderDeadlines(),
                reports,
                voice_activity(Advanced()),
            )

            def count(metrics: stt.STTMetrics) -> None:
                assert metrics.metadata
                provider = str(metrics.metadata.model_provider)
                seconds[provider] = seconds.get(provider, 0.0) + metrics.audio_duration

            supervised.on("metrics_collected", count)
            heard = await played(supervised.stream(), sound)
            await supervised.aclose()
            return Call(heard, reports, seconds, server.connections)

    yield one_call
    await asyncio.sleep(0)
    loop.set_exception_handler(None)
    assert complaints == []
    assert asyncio.all_tasks() <= tasks_before | {asyncio.current_task()}


async def nobodys_address() -> str:
    server = await asyncio.start_server(lambda *_: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    return f"http://127.0.0.1:{port}/v1/listen"


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def assert_all_was_heard_once_and_in_time(call: Call, text: str, voice_ended_at: float) -> None:
    assert words(" ".join(call.heard.finals())) == words(text)
    assert call.waited_seconds(voice_ended_at) <= MOST_WAIT_MS / 1000
    assert not call.reports.exhaustions
    told = call.heard.starts_and_ends()
    assert told == [stt.SpeechEventType.START_OF_SPEECH, stt.SpeechEventType.END_OF_SPEECH] * (
        len(told) // 2
    )


AT_FIRST = {
    "refused": NOBODY,
    "closed at once": [wire.refuses()],
    "401": [wire.status(401)],
    "429": [wire.status(429)],
    "500": [wire.status(500)],
    "hang first": [wire.hangs_at_first()],
    "no text": [wire.hangs()],
    "slow x 10": [wire.slow(TEN_TIMES_SLOWER_SECONDS)],
}


@pytest.mark.parametrize("fault", AT_FIRST)
@pytest.mark.asyncio(loop_scope="session")
async def test_a_recogniser_that_fails_at_first_is_not_noticed(
    listen: Listen, record_property: Callable[[str, object], None], fault: str
) -> None:
    voice = spoken(SECOND)
    sound = np.concatenate([silence(BEGINS_SECONDS), voice, silence(3)])
    behaviours = AT_FIRST[fault]
    once = [*behaviours, WORKS] if behaviours else NOBODY
    calls = await asyncio.gather(listen(behaviours, sound), listen(once, sound))
    ended_at = BEGINS_SECONDS + len(voice) / HZ
    for call, how_long in zip(calls, get_args(HowLong)[::-1], strict=True):
        note(record_property, "stt", fault, how_long, call.waited_seconds(ended_at))
        assert_all_was_heard_once_and_in_time(call, SECOND, ended_at)
    assert [(each.failed, each.taken_over_by) for each in calls[0].reports.switches] == [
        ("deepgram/m", "local/m")
    ]


IN_THE_MIDDLE = {
    "hang mid": wire.hangs,
    "disconnect mid": wire.drops,
    "end mid": wire.ends,
    "garbage": wire.sends_garbage,
}


@pytest.mark.parametrize("fault", IN_THE_MIDDLE)
@pytest.mark.parametrize("how_long", get_args(HowLong))
@pytest.mark.asyncio(loop_scope="session")
async def test_a_recogniser_that_fails_in_the_middle_is_not_noticed(
    listen: Listen,
    record_property: Callable[[str, object], None],
    fault: str,
    how_long: HowLong,
) -> None:
    first, second = spoken(FIRST), spoken(SECOND)
    sound = np.concatenate(
        [silence(BEGINS_SECONDS), first, silence(PAUSE_SECONDS), second, silence(3)]
    )
    first_ends = BEGINS_SECONDS + len(first) / HZ
    second_begins = first_ends + PAUSE_SECONDS
    positions = [first_ends - 0.7, first_ends + 0.6, second_begins + 1.1]
    calls = await asyncio.gather(
        *(
            listen([IN_THE_MIDDLE[fault](after), *([WORKS] if how_long == "once" else [])], sound)
            for after in positions
        )
    )
    ended_at = second_begins + len(second) / HZ
    waited_seconds = max(call.waited_seconds(ended_at) for call in calls)
    note(record_property, "stt", fault, how_long, waited_seconds)
    for call in calls:
        assert_all_was_heard_once_and_in_time(call, f"{FIRST} {SECOND}", ended_at)
        assert len(call.reports.switches) == 1


@pytest.mark.asyncio(loop_scope="session")
async def test_a_recogniser_that_works_is_left_alone(listen: Listen) -> None:
    sound = np.concatenate([silence(BEGINS_SECONDS), spoken(FIRST), silence(2)])
    call = await listen([WORKS], sound)
    assert words(" ".join(call.heard.finals())) == words(FIRST)
    assert call.connections == 1
    assert not call.reports.switches
    assert set(call.seconds) == {"deepgram"}


@pytest.mark.asyncio(loop_scope="session")
async def test_seconds_count_for_the_recogniser_that_heard_them(listen: Listen) -> None:
    voice = spoken(SECOND)
    sound = np.concatenate([silence(BEGINS_SECONDS), voice, silence(2)])
    call = await listen([wire.drops(1.6)], sound)
    assert call.seconds["deepgram"] == pytest.approx(1.6, abs=0.2)
    # From the beginning, also what the other one had heard.
    assert len(voice) / HZ <= call.seconds["local"] <= len(sound) / HZ
