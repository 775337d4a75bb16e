"""The realtime model fails during a real conversation: what a caller hears, and when."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any, get_args

import pytest

from pipelines.engine.shared_models import WarmModels
from tests.faults.cells import MOST_WAIT_MS, note
from tests.pipelines.conversations import Call
from tests.pipelines.engine.audio_loop import TICK_SECONDS
from tests.pipelines.engine.channels.llm.two_vendors import closed_port
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
async def test_a_caller_hears_the_whole_answer_soon(
    warm_models: WarmModels,
    realtime: RealtimeVendor,
    fault: Fault,
    record_property: Callable[[str, object], None],
) -> None:
    is_mid = fault.endswith(" mid")
    wire = realtime.server([Reply(SENTENCE)], [QUESTION], fault=fault)
    refused = realtime.at_port(closed_port()) if fault == "refused" else None
    spare = OpenAIWire(answer_to=goes_on)
    async with realtime_call(
        warm_models, wire, spare, base_url=refused, tls=realtime.trusted
    ) as call:
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
        assert talk.actions.channel_reports.exhaustions == []
    note(record_property, realtime.column, fault, "for ever", waited_seconds)


def longest_silence(talk: Call) -> float:
    heard_at = talk.audio.ear.heard_at
    return max(later - earlier for earlier, later in pairwise(heard_at))
