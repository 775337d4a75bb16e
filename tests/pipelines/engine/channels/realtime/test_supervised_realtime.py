"""A conversation with a realtime model that works."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from contracts.agent_config import AgentConfig, Playbook
from contracts.events import UsageReported
from pipelines.engine.channels.circuit_breaker import FIRST_PAUSE_SECONDS, CircuitBreakers
from pipelines.engine.channels.model_failure import ModelFailed
from pipelines.engine.channels.realtime.realtime_of_plan import supervised_realtime
from pipelines.engine.channels.realtime.supervised_session import SupervisedSession, Unfinished
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderSettings
from pipelines.stack.worker_capabilities import REALTIME_TRANSCRIBERS
from pipelines.texts.keypad import words_of_keys
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.engine.audio_loop import INPUT_HZ
from tests.pipelines.engine.channels.llm.two_vendors import Clock
from tests.pipelines.engine.channels.realtime.realtime_call import (
    PIPELINE,
    QUESTION,
    RealtimeCall,
    realtime_call,
    realtime_plan,
    words_heard,
)
from tests.pipelines.engine.channels.realtime.vendors import RealtimeVendor
from tests.pipelines.engine.speech import spoken
from tests.pipelines.engine.tools.test_handoff import (
    SALES,
    agent,
    handoff,
    plan_of,
    planned,
    prompt_of,
)
from tests.stand_ins.google_live import GoogleLiveServer
from tests.stand_ins.mcp_server import McpServer, Odd
from tests.stand_ins.openai_realtime import WORD_SECONDS, Fault, OpenAIRealtime, Reply
from tests.stand_ins.openai_wire import Answer, OpenAIWire, calls, says
from tests.stand_ins.own_tls import OwnTls
from tests.stand_ins.tenant_api import Reply as ApiReply
from tests.stand_ins.tenant_api import TenantApi

pytestmark = [pytest.mark.usefixtures("spare_vendor"), pytest.mark.latency]

ANSWER = "We are open until six."


async def test_it_answers_what_the_caller_says(
    warm_models: WarmModels, realtime: RealtimeVendor
) -> None:
    wire = realtime.server([Reply(ANSWER)])
    async with realtime_call(warm_models, wire, tls=realtime.trusted) as call:
        await call.talk.caller_says(QUESTION)
        await call.talk.audio.agent_finishes()
        assert await call.talk.messages("assistant", 1) == [ANSWER]
        assert call.talk.said_by("user") == [QUESTION]
        assert [role for role, _ in call.talk.transcript()] == ["user", "assistant"]
        assert words_heard(call.talk.audio.ear.played) == len(ANSWER.split())
        assert call.talk.actions.channel_reports.switches == []


async def test_the_callers_words_come_before_the_answer_also_when_they_are_known_later(
    warm_models: WarmModels,
) -> None:
    wire = OpenAIRealtime([Reply(ANSWER)], [QUESTION], words_after_seconds=1.0)
    async with realtime_call(warm_models, wire) as call:
        for count in (1, 2):
            await call.talk.caller_says(QUESTION)
            await call.talk.audio.agent_finishes()
            await call.talk.messages("assistant", count)
            await call.talk.messages("user", count)
            assert call.talk.transcript() == [("user", QUESTION), ("assistant", ANSWER)] * count


async def test_openai_hears_no_turns_of_its_own(warm_models: WarmModels) -> None:
    wire = OpenAIRealtime([Reply(ANSWER)])
    async with realtime_call(warm_models, wire) as call:
        await call.talk.audio.until(lambda: bool(wire.named("session.update")))
        update = wire.named("session.update")[0]["session"]
        assert update["audio"]["output"]["voice"] == "marin"
        assert update["audio"]["input"]["turn_detection"] is None
        assert wire.authorizations == ["Bearer k"]


async def test_google_hears_each_turn_from_before_its_first_word(
    warm_models: WarmModels, google: RealtimeVendor
) -> None:
    wire = google.server([Reply(ANSWER)])
    assert isinstance(wire, GoogleLiveServer)
    async with realtime_call(warm_models, wire, tls=google.trusted) as call:
        for _ in range(2):
            await call.talk.caller_says(QUESTION)
            await call.talk.audio.agent_finishes()
        said_seconds = len(spoken(QUESTION)) / INPUT_HZ
        assert len(wire.heard_seconds) == 2
        assert min(wire.heard_seconds) > said_seconds
        assert max(wire.heard_seconds) < said_seconds + 3.5
        [setup] = wire.setups
        assert setup["model"] == "models/gemini-3.8-live"
        assert wire.keys == ["k"]


async def test_a_caller_who_interrupts_is_heard_and_the_rest_is_not_said(
    warm_models: WarmModels, realtime: RealtimeVendor
) -> None:
    long_answer = " ".join(["and"] * 40)
    wire = realtime.server([Reply(long_answer), Reply(ANSWER)], [QUESTION, "Stop, please."])
    async with realtime_call(warm_models, wire, tls=realtime.trusted) as call:
        await call.talk.caller_says(QUESTION)
        await call.talk.audio.agent_has_spoken(1.0)
        await call.talk.caller_says(QUESTION)
        await call.talk.audio.agent_finishes()
        cut, whole = await call.talk.messages("assistant", 2)
        assert whole == ANSWER
        heard = words_heard(call.talk.audio.ear.played) - len(ANSWER.split())
        assert abs(len(cut.split()) - heard) <= 1
        if isinstance(wire, OpenAIRealtime):
            [truncated] = wire.named("conversation.item.truncate")
            assert abs(truncated["audio_end_ms"] / 1000 - heard * WORD_SECONDS) < 0.5
        assert call.talk.said_by("user") == [QUESTION, "Stop, please."]
        roles = [role for role, _ in call.talk.transcript()]
        assert roles == ["user", "assistant", "user", "assistant"]
        assert call.talk.actions.channel_reports.switches == []


async def test_what_was_heard_before_the_agent_stopped_listening_is_known_and_not_answered(
    warm_models: WarmModels, realtime: RealtimeVendor
) -> None:
    wire = realtime.server([Reply(ANSWER)], ["Leave a message.", QUESTION])
    if isinstance(wire, GoogleLiveServer):
        # It answers every turn, and goes on after each tool.
        unwanted = Reply("Goodbye.", tool=("end_call", "{}"))
        wire = realtime.server([unwanted, Reply("I will."), Reply(ANSWER)], wire.heard)
    async with realtime_call(warm_models, wire, tls=realtime.trusted) as call:
        session = call.talk.conversation.session
        call.talk.audio.mouth.say(spoken(QUESTION))
        await call.talk.audio.until(lambda: session.user_state == "speaking")
        session.input.set_audio_enabled(False)
        await call.talk.audio.silence(6.0)
        assert call.talk.transcript() == [("user", "Leave a message.")]
        assert call.talk.actions.ended == 0
        session.input.set_audio_enabled(True)
        await call.talk.caller_says(QUESTION)
        assert await call.talk.messages("assistant", 1) == [ANSWER]
        assert call.talk.said_by("user") == ["Leave a message.", QUESTION]


async def test_no_answer_is_asked_of_it_while_its_agent_does_not_listen(
    warm_models: WarmModels, realtime: RealtimeVendor
) -> None:
    wire = realtime.server([Reply(ANSWER)])
    async with realtime_call(warm_models, wire, tls=realtime.trusted) as call:
        session = call.talk.conversation.session
        session.input.set_audio_enabled(False)
        await session.generate_reply()
        assert call.talk.transcript() == []
        session.input.set_audio_enabled(True)
        await session.generate_reply()
        assert call.talk.said_by("assistant") == [ANSWER]
        assert call.talk.actions.channel_reports.switches == []


async def test_the_sentences_of_the_agent_are_spoken_word_for_word_and_known_to_the_model(
    warm_models: WarmModels, realtime: RealtimeVendor
) -> None:
    wire = realtime.server([Reply(ANSWER)])
    agent = AgentConfig(name="Ada", playbook=Playbook(opener="Good day!"))
    async with realtime_call(warm_models, wire, agent=agent, tls=realtime.trusted) as call:
        await call.talk.conversation.greet()
        assert await call.talk.messages("assistant", 1) == ["Good day!"]
        await call.talk.audio.until(lambda: told_sentences(wire) == ["Good day!"])


def told_sentences(wire: OpenAIRealtime | GoogleLiveServer) -> list[str]:
    """What the model was told that the agent has said."""
    if isinstance(wire, OpenAIRealtime):
        items = [each["item"] for each in wire.named("conversation.item.create")]
        return [item["content"][0]["text"] for item in items]
    contents = wire.named("client_content")
    return [turn["parts"][0]["text"] for each in contents for turn in each["turns"]]


async def test_its_tools_are_those_of_the_agent(
    warm_models: WarmModels, realtime: RealtimeVendor
) -> None:
    wire = realtime.server([Reply("Thank you, bye.", tool=("end_call", "{}"))])
    async with realtime_call(warm_models, wire, tls=realtime.trusted) as call:
        await call.talk.caller_says(QUESTION)
        await call.talk.audio.agent_finishes()
        await call.talk.audio.until(lambda: call.talk.actions.ended == 1)
        assert "end_call" in offered_tools(wire)
        assert await call.talk.messages("assistant", 1) == ["Thank you, bye."]


async def test_tools_of_servers_that_are_listed_after_it_failed_are_the_pipelines(
    warm_models: WarmModels, realtime: RealtimeVendor, tls: OwnTls
) -> None:
    wire = realtime.server([Reply(ANSWER)], [QUESTION], fault="refused")
    slow = McpServer(odd={"tools/list": Odd(delay_seconds=1.5)})
    models = replace(warm_models, tenants_network=tls.network)
    async with slow.serving(tls.server) as server:
        crm = {"type": "mcp", "name": "crm", "url": server.url}
        agent = AgentConfig.model_validate({"name": "Ada", "tools": [crm]})
        async with realtime_call(models, wire, agent=agent, tls=realtime.trusted) as call:
            lines = call.talk.actions.lines
            await call.talk.audio.until(lambda: any("MCP server crm" in line for _, line in lines))
            await call.talk.caller_says(QUESTION)
            await call.talk.messages("assistant", 1)
            offered = {each["function"]["name"] for each in call.spare.requests[-1]["tools"]}
            assert offered == {"end_call", "crm_find_table"}


async def test_the_pipeline_answers_to_the_results_of_a_tool_that_was_at_work_when_it_failed(
    warm_models: WarmModels, realtime: RealtimeVendor, tls: OwnTls
) -> None:
    async with failed_beside_a_tool(warm_models, realtime, tls, seconds=1.0) as call:
        assert await call.talk.messages("assistant", 1) == ["We close at six."]
        assert "A table at eight." in str(call.spare.requests[-1]["messages"])


async def test_the_pipeline_does_not_wait_for_a_tool_that_was_at_work_when_the_model_failed(
    warm_models: WarmModels, google: RealtimeVendor, tls: OwnTls
) -> None:
    async with failed_beside_a_tool(warm_models, google, tls, seconds=6.0) as call:
        await call.talk.conversation.keys_pressed("12")
        await call.talk.audio.until(lambda: len(call.spare.requests) == 2)
        assert words_of_keys("12") in str(call.spare.requests)
        assert len(await call.talk.messages("assistant", 2)) == 2
        before, after = (str(each["messages"]) for each in call.spare.requests)
        assert words_of_keys("12") in before
        assert "A table at eight." not in before
        assert "A table at eight." in after


@contextlib.asynccontextmanager
async def failed_beside_a_tool(
    warm_models: WarmModels, realtime: RealtimeVendor, tls: OwnTls, seconds: float
) -> AsyncIterator[RealtimeCall]:
    """
    Args:
        seconds: for which the tool is at work.
    """
    wire = realtime.server([Reply(tool=("find", "{}"))])
    models = replace(warm_models, tenants_network=tls.network)
    found = ApiReply("A table at eight.", delay_seconds=seconds)
    async with TenantApi([found]).serving(tls.server) as api:
        find = {"type": "call_webhook", "name": "find", "description": "Finds.", "url": api.url}
        agent = AgentConfig.model_validate({"name": "Ada", "tools": [find]})
        async with realtime_call(models, wire, agent=agent, tls=realtime.trusted) as call:
            call.talk.audio.mouth.say(spoken(QUESTION))
            await call.talk.audio.until(lambda: bool(api.asked))
            session = call.talk.conversation.agent.realtime_llm_session
            assert isinstance(session, SupervisedSession)
            session.fail(ModelFailed("it is away"))
            yield call


@pytest.mark.parametrize("fault", ["refused", "hang first"])
async def test_the_pipeline_of_an_agent_whose_model_fails_when_it_takes_over_goes_on(
    warm_models: WarmModels, realtime: RealtimeVendor, fault: Fault
) -> None:
    def answer_to(request: dict[str, Any]) -> Answer:
        return calls("to_sales") if "You are Desk." in prompt_of(request) else says(ANSWER)

    sales = planned(agent("Sales"), stack=realtime_plan(one=realtime.choice).stack)
    stack = sales.stack.without_realtime
    desk = agent("Desk", handoff(SALES, "to_sales"))
    plan = plan_of(desk, sales).model_copy(update={"stack": stack})
    wire, spare = realtime.server(fault=fault), OpenAIWire(answer_to=answer_to)
    async with realtime_call(warm_models, wire, spare, plan=plan, tls=realtime.trusted) as call:
        await call.talk.conversation.session.generate_reply(user_input=QUESTION)
        assert await call.talk.messages("assistant", 1) == [ANSWER]
        assert call.talk.actions.takeovers == [SALES]


def offered_tools(wire: OpenAIRealtime | GoogleLiveServer) -> set[str]:
    if isinstance(wire, OpenAIRealtime):
        sessions = [each["session"] for each in wire.named("session.update")]
        return {tool["name"] for session in sessions for tool in session.get("tools", ())}
    tools = wire.setups[-1].get("tools", ())
    return {each["name"] for tool in tools for each in tool["functionDeclarations"]}


async def test_its_tokens_are_counted_under_the_names_of_the_plan(
    warm_models: WarmModels, realtime: RealtimeVendor
) -> None:
    wire = realtime.server([Reply(ANSWER)])
    names = realtime.choice.provider, realtime.choice.model

    async with realtime_call(warm_models, wire, tls=realtime.trusted) as call:

        def reports() -> list[UsageReported]:
            return list(call.talk.conversation.agents.usage.reports())

        def used() -> list[UsageReported]:
            return [each for each in reports() if (each.provider, each.model) == names]

        await call.talk.caller_says(QUESTION)
        await call.talk.audio.agent_finishes()
        await call.talk.messages("assistant", 1)
        await call.talk.audio.until(lambda: any(each.input_tokens for each in used()))
        [one] = used()
        assert one.channel == "llm"
        assert one.input_tokens == wire.sent.input_text + wire.sent.input_audio
        assert one.input_audio_tokens == wire.sent.input_audio
        assert one.cached_input_tokens == wire.sent.cached_text + wire.sent.cached_audio
        assert one.cached_input_audio_tokens == wire.sent.cached_audio
        assert one.output_tokens == wire.sent.output_text + wire.sent.output_audio
        assert one.output_audio_tokens == wire.sent.output_audio
        assert one.estimated_input_tokens == 0
        transcribers = {each.model for each in reports() if each.channel == "stt"}
        expected = REALTIME_TRANSCRIBERS.get(realtime.choice.provider)
        assert transcribers == ({expected} if expected else set())


async def test_the_tokens_of_an_answer_that_broke_off_are_estimated(
    warm_models: WarmModels, realtime: RealtimeVendor
) -> None:
    wire = realtime.server([Reply(ANSWER)], fault="disconnect mid", fault_after_words=4)
    async with realtime_call(warm_models, wire, tls=realtime.trusted) as call:
        await call.talk.caller_says(QUESTION)
        await call.talk.messages("assistant", 2)
        reports = call.talk.conversation.agents.usage.reports()
        [used] = [each for each in reports if each.model == realtime.choice.model]
        assert used.estimated_input_tokens == used.input_tokens > 0
        assert used.estimated_output_tokens == used.output_tokens
        per_second = used.output_audio_tokens / (4 * WORD_SECONDS)
        assert per_second == {"openai": 20, "google": 25}[used.provider]


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
