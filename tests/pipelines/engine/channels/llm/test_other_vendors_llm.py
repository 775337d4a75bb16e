"""The language models of the other vendors fail in other ways, and are replaced as soon."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pipelines.engine.shared_models import WarmModels
from tests.pipelines.engine.channels.llm.two_vendors import SENTENCE, NoServer, Wire, calling
from tests.stand_ins.anthropic_wire import AnthropicWire
from tests.stand_ins.google_wire import GoogleWire
from tests.stand_ins.openai_wire import Answer, breaks, fails, hangs, says

pytestmark = pytest.mark.usefixtures("spare_vendor")

WIRES: dict[str, Callable[[list[Answer]], Wire]] = {
    "google": GoogleWire,
    "anthropic": AnthropicWire,
}
FAULTS = {
    "refused": None,
    "401": fails(401),
    "429": fails(429),
    "500": fails(500),
    "hang first": hangs(),
    "hang mid": breaks(says(SENTENCE), "hangs", 5),
    "disconnect mid": breaks(says(SENTENCE), "disconnects", 5),
    "garbage mid": breaks(says(SENTENCE), "sends_garbage", 5),
    "end mid": breaks(says(SENTENCE), "ends", 5),
}
MOST_WAIT_SECONDS = 1.2


@pytest.mark.parametrize("provider", WIRES)
async def test_an_answer_without_a_fault_is_the_vendor_s_own(
    warm_models: WarmModels, provider: str
) -> None:
    primary = WIRES[provider]([says("Yes, we are.")])
    async with calling(warm_models, primary, provider=provider) as call:
        assert (await call.turn()).text == "Yes, we are."
        assert call.switches == []


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("provider", WIRES)
async def test_every_fault_is_answered_whole_and_soon(
    warm_models: WarmModels, provider: str, fault: str
) -> None:
    answer = FAULTS[fault]
    primary: Wire = NoServer() if answer is None else WIRES[provider]([answer])
    async with calling(warm_models, primary, provider=provider) as call:
        for _ in range(2):
            heard = await call.turn()
            assert heard.text == SENTENCE
            assert heard.longest_wait_seconds < MOST_WAIT_SECONDS
        assert call.switches == [(f"{provider}/first", "spare/second")]
        if fault == "refused":
            # The SDK did not try it again until it was too late.
            assert call.reports.switches[0].why.startswith("could not be reached")


@pytest.mark.parametrize("fault", ["disconnect mid", "end mid", "hang mid"])
async def test_what_a_vendor_has_reported_of_an_answer_that_breaks_off_is_counted_once(
    warm_models: WarmModels, fault: str
) -> None:
    primary = GoogleWire([FAULTS[fault] or hangs()])
    async with calling(warm_models, primary, provider="google") as call:
        await call.turn()
        named = [
            (each.metadata.model_name, each.prompt_tokens, each.completion_tokens)
            for each in call.metrics
            if each.metadata is not None and each.total_tokens
        ]
        assert sorted(named) == [("first", 11, 5), ("second", 11, 7)]
        # A whole report needs no estimate.
        estimated = call.supervised.estimated["google", "first"]
        assert (estimated.input_tokens, estimated.output_tokens) == (0, 0)
