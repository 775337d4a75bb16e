"""A tenant's own language model is asked under the rules for tenants' addresses, and replaced as
soon as any vendor's."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Callable

import pytest

from outbound.guarded_network import GuardedNetwork
from outbound.policy import OutboundPolicy
from pipelines.engine.channels.circuit_breaker import FIRST_PAUSE_SECONDS
from pipelines.engine.channels.llm.llm_of_plan import supervised_llm
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderDeadlines
from tests.faults.cells import MOST_WAIT_MS, note
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.channels.llm.two_vendors import (
    SENTENCE,
    NoServer,
    calling,
    closed_port,
    prepared,
)
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
from tests.stand_ins.own_tls import OwnTls

pytestmark = pytest.mark.usefixtures("spare_vendor")

FIRST, SECOND = "custom/first", "spare/second"
FAULTS = {
    "401": fails(401),
    "429": fails(429),
    "redirect": fails(307, Location="https://127.0.0.1:1/v1/chat/completions"),
    "500": fails(500),
    "hang first": hangs(),
    "hang mid": breaks(says(SENTENCE), "hangs", 5),
    "disconnect mid": breaks(says(SENTENCE), "disconnects", 5),
    "garbage": sends(b"<html>What?</html>", "text/html"),
    "garbage mid": breaks(says(SENTENCE), "sends_garbage", 5),
    "end mid": breaks(says(SENTENCE), "ends", 5),
    "compressed": fails(200, Content_Encoding="gzip"),
    "slow x 10": slowly(paced(says(SENTENCE), 0.2), 5.0),
}


class Nobody(NoServer):
    """The same at an https address."""

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[Nobody]:
        self.base_url = f"https://127.0.0.1:{closed_port()}/v1"
        yield self


@pytest.mark.latency
@pytest.mark.parametrize("fault", [*FAULTS, "refused"])
async def test_every_fault_is_answered_whole_and_soon(
    warm_models: WarmModels,
    tls: OwnTls,
    record_property: Callable[[str, object], None],
    fault: str,
) -> None:
    primary = OpenAIWire([FAULTS.get(fault, hangs())], tls=tls.server)
    async with calling(
        warm_models,
        Nobody() if fault == "refused" else primary,
        provider="custom",
        deadlines=ProviderDeadlines(),
        tenants_network=tls.network,
    ) as call:
        heard = await call.turn()
        note(record_property, "custom_llm", fault, "for ever", heard.longest_wait_seconds)
        assert heard.text == SENTENCE
        assert heard.longest_wait_seconds < MOST_WAIT_MS / 1000
        assert call.switches == [(FIRST, SECOND)]
        assert "127.0.0.1" not in call.reports.switches[0].why

        asked = len(primary.requests)
        assert (await call.turn()).text == SENTENCE
        assert len(primary.requests) == asked, "the endpoint that failed was asked first again"
        call.clock.now += FIRST_PAUSE_SECONDS
        await call.turn()
        assert len(primary.requests) == asked + (fault != "refused")


async def test_it_answers_and_calls_tools_like_any_other(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    primary = OpenAIWire([says("Good morning."), calls("end_call")], tls=tls.server)
    async with calling(
        warm_models, primary, provider="custom", tenants_network=tls.network
    ) as call:
        assert (await call.turn()).text == "Good morning."
        assert (await call.turn()).tools == [("end_call", "{}")]
        assert call.switches == []
        assert primary.requests[0]["model"] == "first"
        names = {
            (m.metadata.model_provider, m.metadata.model_name) for m in call.metrics if m.metadata
        }
        assert names == {("custom", "first")}


async def test_characters_that_no_event_can_hold_are_left_out(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    primary = OpenAIWire([says("Good\0 \ud800 morning.")], tls=tls.server)
    async with calling(
        warm_models, primary, provider="custom", tenants_network=tls.network
    ) as call:
        assert (await call.turn()).text == "Good ? morning."
        assert call.switches == []


async def test_an_address_that_leads_into_a_private_network_is_never_asked(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    """It was public when it was saved."""
    primary = OpenAIWire(tls=tls.server)
    network = GuardedNetwork(OutboundPolicy())
    async with calling(warm_models, primary, provider="custom", tenants_network=network) as call:
        assert (await call.turn()).text == SENTENCE
        [switch] = call.reports.switches
        assert switch.why.endswith("(AddressRefused)")
        assert primary.requests == []
    network.close()


async def test_what_is_learned_of_one_address_says_nothing_about_another(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    primary = OpenAIWire(tls=tls.server)
    async with prepared(warm_models, primary, OpenAIWire(), provider="custom") as ready:
        agent = ready.plan.agent.model_copy(update={"custom_llm_url": "https://b.example"})
        moved = ready.plan.model_copy(update={"agent": agent})
        models = [
            supervised_llm(plan, ready.models, NotedActions())
            for plan in (ready.plan, ready.plan, moved)
        ]
        first, again, other = (model.serving.candidate.breaker for model in models)
        assert first is again
        assert first is not other
        for model in models:
            await model.aclose()
