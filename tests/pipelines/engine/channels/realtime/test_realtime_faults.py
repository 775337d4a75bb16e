"""The realtime model fails during a real conversation: what a caller hears, and when."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from itertools import pairwise
from typing import Any, get_args

import pytest

from pipelines.engine.shared_models import WarmModels
from tests.faults.cells import MOST_WAIT_MS, HowLong, note
from tests.pipelines.conversations import Call
from tests.pipelines.engine.audio_loop import TICK_SECONDS
from tests.pipelines.engine.channels.realtime.realtime_call import (
    PIPELINE,
    QUESTION,
    realtime_call,
    words_heard,
)
from tests.pipelines.engine.channels.realtime.vendors import RealtimeVendor
from tests.stand_ins.openai_realtime import WORD_SECONDS, Fault, Reply
from tests.stand_ins.openai_wire import Answer, OpenAIWire, says

pytestmark = [pytest.mark.usefixtures("spare_vendor"), pytest.mark.latency]

SENTENCE = "We open at eight and close at six."
BEGUN = "We open at eight"
SOONEST_SECONDS = 0.6
"""From the caller's last sound to the first one of a realtime model that works."""


def goes_on(asked: dict[str, Any]) -> Answer:
    """Says ``SENTENCE``, or what is missing of it."""
    is_begun = BEGUN in [message["content"] for message in asked["messages"]]
    return says(SENTENCE.removeprefix(BEGUN).lstrip() if is_begun else SENTENCE)


@pytest.mark.parametrize("fault", [each for each in get_args(Fault) if each != "none"])
async def test_a_caller_hears_the_whole_answer_soon_and_the_next_one_from_the_pipeline(
    warm_models: WarmModels,
    realtime: RealtimeVendor,
    fault: Fault,
    record_property: Callable[[str, object], None],
) -> None:
    async def call(how_long: HowLong) -> None:
        waited_seconds = await answered_twice(warm_models, realtime, fault, how_long)
        if how_long == "for ever":
            note(record_property, realtime.column, fault, how_long, waited_seconds)

    await asyncio.gather(*map(call, get_args(HowLong)))


async def answered_twice(
    models: WarmModels, realtime: RealtimeVendor, fault: Fault, how_long: HowLong
) -> float:
    """How long a caller waits for the first answer, or within it."""
    is_mid = fault.endswith(" mid")
    wire = realtime.server(
        [Reply(SENTENCE)], [QUESTION], fault=fault, is_fault_for_ever=how_long == "for ever"
    )
    spare = OpenAIWire(answer_to=goes_on)
    async with realtime_call(models, wire, spare, tls=realtime.trusted) as call:
        talk = call.talk
        waited_seconds = await talk.caller_says(QUESTION) - SOONEST_SECONDS
        said = await talk.messages("assistant", 2 if is_mid else 1)
        if is_mid:
            waited_seconds = max(waited_seconds, longest_silence(talk))
        assert " ".join(said) == SENTENCE
        assert talk.said_by("user") == [QUESTION]
        assert waited_seconds * 1000 < MOST_WAIT_MS
        if is_mid:
            begun = BEGUN.split()
            ticks = round(len(begun) * WORD_SECONDS / TICK_SECONDS)
            assert words_heard(talk.audio.ear.played[:ticks]) == len(begun)
        [switch] = talk.actions.channel_reports.switches
        assert (switch.channel, switch.failed) == ("realtime", realtime.name)
        assert switch.taken_over_by == PIPELINE

        await talk.audio.agent_finishes()
        asked = wire.connections
        if fault == "refused" and how_long == "once":
            await wire.open()
        assert await talk.caller_says(QUESTION) - SOONEST_SECONDS < MOST_WAIT_MS / 1000
        await talk.messages("assistant", len(said) + 1)
        assert wire.connections == asked, "the pipeline keeps the call"
        assert len(talk.actions.channel_reports.switches) == 1
        assert talk.actions.channel_reports.exhaustions == []
    return waited_seconds


def longest_silence(talk: Call) -> float:
    heard_at = talk.audio.ear.heard_at
    return max(later - earlier for earlier, later in pairwise(heard_at))
