"""An agent hands over while a tool of its own is at work."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest

from pipelines.engine.shared_models import WarmModels
from pipelines.engine.tools import call_tools
from tests.pipelines.engine.tools.test_handoff import (
    PITCH,
    SALES,
    SALES_STACK,
    Talk,
    agent,
    called,
    handoff,
    plan_of,
    planned,
    prompt_of,
    talking,
)
from tests.pipelines.plans import LOCAL_STACK
from tests.stand_ins.openai_wire import Answer, calls, says
from tests.stand_ins.own_tls import OwnTls
from tests.stand_ins.tenant_api import Reply, TenantApi

WORKING = "I am looking."
FOUND = "Your parcel is in Bonn."
OPENER = "Hello from sales. Which boat would you like?"
BOTH = "Find my parcel, and get me sales."
SECONDS = 6.0
"""Of the tool."""


def answer(request: dict[str, Any]) -> Answer:
    told = str(request["messages"])
    if "You are Sales." in prompt_of(request):
        return says(FOUND if "in Bonn" in told else PITCH)
    if BOTH in told:
        tools = (("find_parcel", "{}"), ("to_sales", "{}"))
        return says(WORKING) if called(request) else Answer(tool_calls=tools)
    if "get me sales" in told:
        return calls("to_sales")
    return says(WORKING) if "in progress" in told else calls("find_parcel")


@contextlib.asynccontextmanager
async def handed_over(
    models: WarmModels, tls: OwnTls, monkeypatch: pytest.MonkeyPatch, stack: Any = SALES_STACK
) -> AsyncIterator[Talk]:
    """The caller has asked for sales while the desk's tool was at work."""
    async with with_slow_tool(models, tls, monkeypatch, stack) as (talk, api):
        session = talk.call.conversation.session
        asking = session.generate_reply(user_input="Where is my parcel?")
        await talk.call.audio.until(lambda: bool(api.asked))
        await session.interrupt()
        await talk.ask("Please get me sales.")
        await asking
        yield talk


@contextlib.asynccontextmanager
async def with_slow_tool(
    models: WarmModels, tls: OwnTls, monkeypatch: pytest.MonkeyPatch, stack: Any = SALES_STACK
) -> AsyncIterator[tuple[Talk, TenantApi]]:
    """A call of the desk."""
    monkeypatch.setattr(call_tools, "PATIENCE_SECONDS", 0.1)
    slow = Reply('"in Bonn"', delay_seconds=SECONDS)
    async with TenantApi([slow]).serving(tls.server) as api:
        find = {"type": "call_webhook", "name": "find_parcel", "description": "-", "url": api.url}
        desk = agent("Desk", find, handoff(SALES, "to_sales"))
        sales = agent("Sales", playbook={"opener": OPENER})
        plan = plan_of(desk, planned(sales, stack=stack))
        async with talking(models, plan, answer, tls.network) as talk:
            yield talk, api


async def test_the_next_agent_does_not_wait_for_it_and_tells_what_it_returns(
    warm_models: WarmModels, tls: OwnTls, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with handed_over(warm_models, tls, monkeypatch) as talk:
        await talk.call.audio.until(lambda: FOUND in talk.call.said_by("assistant"))
        assert talk.call.said_by("assistant")[-2:] == [PITCH, FOUND]


async def test_a_tool_of_the_answer_that_hands_over_holds_nothing_up_either(
    warm_models: WarmModels, tls: OwnTls, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with with_slow_tool(warm_models, tls, monkeypatch) as (talk, _):
        await talk.ask(BOTH)
        await talk.call.audio.until(lambda: FOUND in talk.call.said_by("assistant"))
        assert talk.call.said_by("assistant") == [PITCH, FOUND]


async def test_the_end_of_a_call_waits_for_no_tool_at_work_in_the_background(
    warm_models: WarmModels, tls: OwnTls, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with with_slow_tool(warm_models, tls, monkeypatch) as (talk, api):
        conversation = talk.call.conversation
        conversation.session.generate_reply(user_input="Where is my parcel?")
        await talk.call.audio.until(lambda: bool(api.asked))
        await conversation.session.interrupt()
        await talk.ask("Well?")
        conversation.agents.call_ended()
        async with asyncio.timeout(SECONDS / 3):
            await conversation.session.aclose()


async def test_an_agent_with_a_playbook_says_nothing_twice_because_of_it(
    warm_models: WarmModels, tls: OwnTls, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with handed_over(warm_models, tls, monkeypatch, LOCAL_STACK) as talk:
        history = talk.call.conversation.session.history
        await talk.call.audio.until(lambda: OPENER in talk.call.said_by("assistant"))
        assert "in Bonn" not in str(history.items)
        await talk.call.audio.until(lambda: "in Bonn" in str(history.items))
        await talk.ask("Hello?")
        assert talk.call.said_by("assistant").count(OPENER) == 1
