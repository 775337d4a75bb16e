"""A conversation with a realtime model that works."""

from __future__ import annotations

from dataclasses import replace

import pytest

from contracts.agent_config import AgentConfig, Playbook
from pipelines.engine.channels.circuit_breaker import FIRST_PAUSE_SECONDS, CircuitBreakers
from pipelines.engine.channels.model_failure import ModelFailed
from pipelines.engine.channels.realtime.realtime_of_plan import supervised_realtime
from pipelines.engine.channels.realtime.supervised_session import Unfinished
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from pipelines.stack.worker_capabilities import REALTIME_TRANSCRIBERS
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.channels.llm.two_vendors import Clock
from tests.pipelines.engine.channels.realtime.realtime_call import (
    MODEL,
    PIPELINE,
    QUESTION,
    realtime_call,
    realtime_plan,
    words_heard,
)
from tests.stand_ins.openai_realtime import WORD_SECONDS, OpenAIRealtime, Reply

pytestmark = [pytest.mark.usefixtures("spare_vendor"), pytest.mark.latency]

ANSWER = "We are open until six."


async def test_it_answers_what_the_caller_says(warm_models: WarmModels) -> None:
    wire = OpenAIRealtime([Reply(ANSWER)])
    async with realtime_call(warm_models, wire) as call:
        await call.talk.caller_says(QUESTION)
        await call.talk.audio.agent_finishes()
        assert await call.talk.messages("assistant", 1) == [ANSWER]
        assert call.talk.said_by("user") == [QUESTION]
        assert words_heard(call.talk.audio.ear.played) == len(ANSWER.split())
        assert call.talk.actions.channel_reports.switches == []
        update = wire.named("session.update")[0]["session"]
        assert update["audio"]["output"]["voice"] == "marin"
        assert update["audio"]["input"]["turn_detection"] is None
        assert wire.authorizations == ["Bearer k"]


async def test_a_caller_who_interrupts_is_heard_and_the_rest_is_not_said(
    warm_models: WarmModels,
) -> None:
    long_answer = " ".join(["and"] * 40)
    wire = OpenAIRealtime([Reply(long_answer), Reply(ANSWER)], [QUESTION, "Stop, please."])
    async with realtime_call(warm_models, wire) as call:
        await call.talk.caller_says(QUESTION)
        await call.talk.audio.agent_has_spoken(1.0)
        await call.talk.caller_says(QUESTION)
        await call.talk.audio.agent_finishes()
        cut, whole = await call.talk.messages("assistant", 2)
        assert whole == ANSWER
        heard = words_heard(call.talk.audio.ear.played) - len(ANSWER.split())
        assert abs(len(cut.split()) - heard) <= 1
        [truncated] = wire.named("conversation.item.truncate")
        assert abs(truncated["audio_end_ms"] / 1000 - heard * WORD_SECONDS) < 0.5
        assert call.talk.said_by("user") == [QUESTION, "Stop, please."]
        assert call.talk.actions.channel_reports.switches == []


async def test_the_sentences_of_the_agent_are_spoken_word_for_word_and_known_to_the_model(
    warm_models: WarmModels,
) -> None:
    wire = OpenAIRealtime([Reply(ANSWER)])
    async with realtime_call(
        warm_models, wire, agent=AgentConfig(name="Ada", playbook=Playbook(opener="Good day!"))
    ) as call:
        await call.talk.conversation.greet()
        assert await call.talk.messages("assistant", 1) == ["Good day!"]
        await call.talk.audio.until(lambda: bool(wire.named("conversation.item.create")))
        [told] = wire.named("conversation.item.create")
        assert told["item"]["content"][0]["text"] == "Good day!"


async def test_its_tools_are_those_of_the_agent(warm_models: WarmModels) -> None:
    wire = OpenAIRealtime([Reply("Thank you, bye.", tool=("end_call", "{}"))])
    async with realtime_call(warm_models, wire) as call:
        await call.talk.caller_says(QUESTION)
        await call.talk.audio.agent_finishes()
        await call.talk.audio.until(lambda: call.talk.actions.ended == 1)
        offered = [
            tool
            for each in wire.named("session.update")
            for tool in each["session"].get("tools", ())
        ]
        assert "end_call" in {tool["name"] for tool in offered}
        assert await call.talk.messages("assistant", 1) == ["Thank you, bye."]


async def test_its_tokens_are_counted_under_the_names_of_the_plan(warm_models: WarmModels) -> None:
    wire = OpenAIRealtime([Reply(ANSWER)])
    async with realtime_call(warm_models, wire) as call:
        await call.talk.caller_says(QUESTION)
        await call.talk.audio.agent_finishes()
        await call.talk.messages("assistant", 1)
        reports = list(call.talk.conversation.agents.usage.reports())
        [used] = [each for each in reports if (each.provider, each.model) == ("openai", MODEL)]
        assert used.channel == "llm"
        assert used.input_tokens == wire.sent.input_text + wire.sent.input_audio
        assert used.input_audio_tokens == wire.sent.input_audio
        assert used.cached_input_tokens == wire.sent.cached_text + wire.sent.cached_audio
        assert used.cached_input_audio_tokens == wire.sent.cached_audio
        assert used.output_tokens == wire.sent.output_text + wire.sent.output_audio
        assert used.output_audio_tokens == wire.sent.output_audio
        assert {(each.channel, each.model) for each in reports} >= {
            ("stt", REALTIME_TRANSCRIBERS["openai"])
        }


async def test_what_failed_in_one_call_is_not_asked_in_the_next(warm_models: WarmModels) -> None:
    clock = Clock()
    breakers = CircuitBreakers(clock)
    plan = realtime_plan()
    models = replace(
        warm_models,
        settings=ProviderSettings(api_keys={"openai": "k", "spare": "k"}),
        breakers=breakers,
    )
    await models.prepare(plan)
    first, second = NotedActions(), NotedActions()
    model = supervised_realtime(plan, models, first, _no_words)
    assert model is not None
    model.failed(Unfinished(ModelFailed("it is away"), 0.0))
    assert supervised_realtime(plan, models, second, _no_words) is None
    [switch] = second.channel_reports.switches
    assert (switch.failed, switch.taken_over_by) == ("openai/gpt-realtime", PIPELINE)
    assert not switch.was_asked
    clock.now += FIRST_PAUSE_SECONDS
    assert supervised_realtime(plan, models, second, _no_words) is not None


async def _no_words(turn: object) -> str:
    return ""
