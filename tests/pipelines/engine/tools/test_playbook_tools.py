"""The offline language model uses its agent's tools during a conversation."""

from __future__ import annotations

import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from contracts.agent_config import AgentConfig
from pipelines.engine.shared_models import WarmModels
from tests.pipelines.conversations import Call, conversation
from tests.pipelines.engine.tools.test_handoff import (
    SALES,
    agent,
    handoff,
    plan_of,
    planned,
    prompt_of,
    talking,
)
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins.openai_wire import Answer, calls
from tests.stand_ins.own_tls import OwnTls
from tests.stand_ins.tenant_api import Reply, TenantApi

ORDER = ("A table, please.", "For four people.")
CONFIRMATION = "Yes, that's right."
FILLER = "Let me see."
CLOSING, FALLBACK = "Your table is booked.", "Please try our website."


def book(api: TenantApi) -> dict[str, Any]:
    return {
        "type": "call_webhook",
        "name": "book",
        "description": "Books the table.",
        "url": f"{api.url}/tables",
        "parameters": {
            "type": "object",
            "properties": {"party_size": {"type": "integer"}},
            "required": ["party_size"],
        },
        "speak_while": FILLER,
    }


def table_bot(api: TenantApi) -> AgentConfig:
    return AgentConfig.model_validate(
        {
            "name": "Table bot",
            "playbook": {
                "opener": "Welcome to Chez Ada. What can I do for you?",
                "requiredSlots": [{"name": "party_size"}],
                "closingCTA": CLOSING,
                "fallbackCTA": FALLBACK,
            },
            "tools": [book(api)],
        }
    )


@contextlib.asynccontextmanager
async def ordered(
    models: WarmModels, tls: OwnTls, reply: Reply
) -> AsyncIterator[tuple[Call, TenantApi]]:
    """A caller has asked for a table for four, and has yet to confirm it."""
    async with TenantApi([reply]).serving(tls.server) as api:
        plan = call_plan(table_bot(api), stack=LOCAL_STACK)
        async with conversation(plan, replace(models, tenants_network=tls.network)) as call:
            await call.conversation.greet()
            for line in ORDER:
                await call.conversation.session.generate_reply(user_input=line)
            yield call, api


@contextlib.asynccontextmanager
async def booking(
    models: WarmModels, tls: OwnTls, reply: Reply
) -> AsyncIterator[tuple[Call, TenantApi]]:
    """The caller has confirmed it, and the agent's answer was played."""
    async with ordered(models, tls, reply) as (call, api):
        await call.conversation.session.generate_reply(user_input=CONFIRMATION)
        yield call, api


async def test_it_calls_a_tool_once_and_then_says_the_closing(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    slow = Reply("{}", delay_seconds=1.0)
    async with booking(warm_models, tls, slow) as (call, api):
        [asked] = api.asked
        assert json.loads(asked.text) == {"party_size": 4}
        said = call.said_by("assistant")
        assert said.count(FILLER) == 1
        assert CLOSING in said[-1]

        await call.conversation.session.generate_reply(user_input="No, thank you.")
        assert len(api.asked) == 1
        assert "Goodbye" in call.said_by("assistant")[-1]


async def test_a_tool_that_failed_is_told_to_the_caller(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    broken = Reply("no", status=500)
    async with booking(warm_models, tls, broken) as (call, api):
        assert len(api.asked) == 1
        said = call.said_by("assistant")[-1]
        assert FALLBACK in said
        assert CLOSING not in said


async def test_nothing_is_promised_to_a_caller_who_speaks_while_the_tool_is_at_work(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    broken = Reply("no", status=500, delay_seconds=3.0)
    async with ordered(warm_models, tls, broken) as (call, api):
        session = call.conversation.session
        confirmed = session.generate_reply(user_input=CONFIRMATION)
        await call.audio.until(lambda: bool(api.asked))
        await session.generate_reply(user_input="Hello?")
        assert call.said_by("assistant")[-1] == "One moment, please."
        await confirmed
        said = call.said_by("assistant")
        assert FALLBACK in said[-1], "it knows by then what came of the tool"
        assert not any(CLOSING in each for each in said)
        assert len(api.asked) == 1


async def test_a_tool_of_the_agent_that_handed_over_is_not_its_own_of_the_same_name(
    warm_models: WarmModels, tls: OwnTls
) -> None:
    def answer(request: dict[str, Any]) -> Answer:
        assert "You are Desk." in prompt_of(request)
        has_booked = any(each["role"] == "tool" for each in request["messages"])
        return calls("to_sales") if has_booked else calls("book", '{"party_size": 2}')

    async with TenantApi().serving(tls.server) as others, TenantApi().serving(tls.server) as own:
        desk = agent("Desk", book(others), handoff(SALES, "to_sales"))
        plan = plan_of(desk, planned(table_bot(own), stack=LOCAL_STACK))
        async with talking(warm_models, plan, answer, tls.network) as talk:
            await talk.ask()
            await talk.call.audio.until(lambda: bool(talk.call.actions.takeovers))
            for line in (*ORDER, CONFIRMATION):
                await talk.ask(line)
            [asked] = own.asked
            assert json.loads(asked.text) == {"party_size": 4}
            assert len(others.asked) == 1
            assert CLOSING in talk.call.said_by("assistant")[-1]
