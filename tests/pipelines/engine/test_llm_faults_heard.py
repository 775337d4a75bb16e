"""The language model fails during a real conversation: what a caller hears, and when."""

from __future__ import annotations

import pytest

from pipelines.engine.channels import lineup
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderDeadlines
from pipelines.texts.phrases import say_again
from tests.faults.cells import HowLong
from tests.pipelines.conversations import conversation
from tests.pipelines.engine.channels.llm.two_vendors import SENTENCE, goes_on, prepared
from tests.stand_ins.openai_wire import (
    OpenAIWire,
    breaks,
    calls,
    fails,
    hangs,
    paced,
    says,
    sends,
    slowly,
)

pytestmark = [pytest.mark.usefixtures("spare_vendor"), pytest.mark.latency]

MOST_LOST_SECONDS = 2.5
"""From when the answer was due."""
FAULTS = {
    "refused": says(SENTENCE),
    "401": fails(401),
    "429": fails(429),
    "500": fails(500),
    "hang first": hangs(),
    "hang mid": breaks(says(SENTENCE), "hangs", 5),
    "disconnect mid": breaks(says(SENTENCE), "disconnects", 5),
    "garbage": sends(b"?"),
    "slow x 10": slowly(paced(says(SENTENCE), 0.2), 5.0),
}

ONCE = ("500", "hang mid", "disconnect mid")
"""Over with the next request: a second one to the same model would double words."""
CELLS = [*((fault, "for ever") for fault in FAULTS), *((fault, "once") for fault in ONCE)]


@pytest.mark.parametrize(("fault", "how_long"), CELLS)
async def test_a_caller_hears_a_whole_answer_soon(
    warm_models: WarmModels, fault: str, how_long: HowLong
) -> None:
    afterwards = [says(SENTENCE)] if how_long == "once" else []
    primary = OpenAIWire([says("Sure, go ahead."), FAULTS[fault], *afterwards])
    spare = OpenAIWire(answer_to=goes_on)
    is_refused = False
    async with (
        prepared(
            *(warm_models, primary, spare),
            deadlines=ProviderDeadlines(),
            is_refused=lambda: is_refused,
        ) as ready,
        conversation(ready.plan, ready.models) as talk,
    ):
        due_seconds = await talk.caller_says("I have a question for you.")
        await talk.audio.agent_finishes()
        is_refused = fault == "refused"
        waited_seconds = await talk.caller_says("When are you open?")
        assert waited_seconds - due_seconds < MOST_LOST_SECONDS
        await talk.audio.agent_finishes()
        assert (await talk.messages("assistant", 2))[1] == SENTENCE
        switches = talk.actions.channel_reports.switches
        assert [(each.failed, each.taken_over_by) for each in switches] == [
            ("openai/first", "spare/second")
        ]
        usage = talk.conversation.session.usage.model_usage
        assert {(each.provider, each.model) for each in usage} >= {
            ("openai", "first"),
            ("spare", "second"),
        }


async def test_without_any_model_the_caller_is_asked_again(
    warm_models: WarmModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lineup, "_local", lambda channel, locale: None)
    primary, spare = OpenAIWire([fails(500)]), OpenAIWire([fails(500)])
    async with (
        prepared(warm_models, primary, spare) as ready,
        conversation(ready.plan, ready.models) as talk,
    ):
        await talk.caller_says("When are you open?")
        await talk.audio.agent_finishes()
        assert await talk.messages("assistant", 1) == [say_again(ready.plan)]
        assert talk.actions.channel_reports.exhaustions == []


async def test_the_call_ends_once_however_the_stream_of_the_tool_call_ends(
    warm_models: WarmModels,
) -> None:
    goodbye = calls("end_call", after_saying="Thank you, bye.")
    primary = OpenAIWire([breaks(goodbye, "disconnects", 7)])
    async with (
        prepared(warm_models, primary, OpenAIWire()) as ready,
        conversation(ready.plan, ready.models) as talk,
    ):
        await talk.caller_says("That is all, goodbye.")
        await talk.audio.agent_finishes()
        await talk.audio.silence(0.5)
        assert talk.actions.ended == 1
        assert talk.said_by("assistant") == ["Thank you, bye."]
