"""A supervised language model with two vendors on this machine, and the real plugin and SDK between
them: ``openai`` (or another) is the primary, ``spare`` the fallback. The playbook comes last."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import importlib
import socket
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import httpx2
from livekit.agents import llm
from livekit.agents.metrics import LLMMetrics

from contracts.agent_config import AgentConfig
from contracts.call_plan import CallPlan, ProviderChoice, ResolvedChannel
from outbound.guarded_network import GuardedNetwork
from pipelines.engine.channels.circuit_breaker import CircuitBreakers
from pipelines.engine.channels.llm.llm_of_plan import supervised_llm
from pipelines.engine.channels.llm.supervised_llm import SupervisedLLM
from pipelines.engine.shared_models import WarmModels
from pipelines.settings import ProviderDeadlines, ProviderSettings
from tests.pipelines.engine.actions import NotedActions, NotedReports
from tests.pipelines.engine.agents import call_agent
from tests.pipelines.plans import LOCAL_STACK, call_plan
from tests.stand_ins.openai_wire import Answer, OpenAIWire, says

SENTENCE = "We are open from Monday to Friday, from eight until six, and on Saturdays until noon."
SOON = ProviderDeadlines(connect_seconds=0.3, llm_first_token_seconds=0.4, idle_seconds=0.3)
QUESTION = "When are you open?"


def goes_on(asked: dict[str, Any]) -> Answer:
    """Says ``SENTENCE``, or what is missing of it."""
    messages = asked["messages"]
    if messages[-1]["role"] == "system" and messages[-2]["role"] == "assistant":
        return says(SENTENCE.removeprefix(messages[-2]["content"]).lstrip())
    return says(SENTENCE)


class Wire(Protocol):
    """A vendor's server."""

    base_url: str

    def serving(self) -> AbstractAsyncContextManager[Any]: ...


class NoServer:
    """Refuses every connection."""

    base_url = ""

    @contextlib.asynccontextmanager
    async def serving(self) -> AsyncIterator[NoServer]:
        self.base_url = f"http://127.0.0.1:{closed_port()}"
        yield self


@dataclass
class Heard:
    """One answer, as the engine gets it."""

    text: str = ""
    tools: list[tuple[str, str]] = field(default_factory=list)
    longest_wait_seconds: float = 0.0
    """Before the first chunk, or between two."""


@dataclass
class Calling:
    supervised: SupervisedLLM
    reports: NotedReports
    actions: NotedActions
    spare: OpenAIWire
    plan: CallPlan
    history: llm.ChatContext
    clock: Clock
    metrics: list[LLMMetrics]

    async def turn(self, question: str = QUESTION) -> Heard:
        """The caller says something, and hears the answer."""
        self.history.add_message(role="user", content=question)
        heard = await self.ask()
        self.history.add_message(role="assistant", content=heard.text)
        return heard

    async def ask(self) -> Heard:
        heard = Heard()
        tools = list(call_agent(self.plan, self.actions).tools)
        last_at = time.monotonic()
        async with self.supervised.chat(chat_ctx=self.history, tools=tools) as stream:
            async for chunk in stream:
                waited_seconds = time.monotonic() - last_at
                heard.longest_wait_seconds = max(heard.longest_wait_seconds, waited_seconds)
                last_at = time.monotonic()
                if chunk.delta is not None:
                    heard.text += chunk.delta.content or ""
                    heard.tools += [(each.name, each.arguments) for each in chunk.delta.tool_calls]
        return heard

    @property
    def switches(self) -> list[tuple[str, str]]:
        return [(each.failed, each.taken_over_by) for each in self.reports.switches]


class Clock:
    """Of the circuit breakers."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


@dataclass
class Prepared:
    """What a worker has before the call."""

    models: WarmModels
    plan: CallPlan
    clock: Clock


@contextlib.asynccontextmanager
async def prepared(
    models: WarmModels,
    primary: Wire,
    spare: OpenAIWire,
    *,
    provider: str = "openai",
    locale: str = "en-US",
    deadlines: ProviderDeadlines = SOON,
    is_refused: Callable[[], bool] = lambda: False,
    tenants_network: GuardedNetwork | None = None,
) -> AsyncIterator[Prepared]:
    """
    Args:
        tenants_network: if the provider is ``custom``.
        primary: speaks the wire of ``provider``.
        is_refused: whether the next connection to the primary is refused; not for Google.
    """
    refusing = f"http://127.0.0.1:{closed_port()}"
    clock = Clock()

    async def refuse(request: httpx2.Request) -> None:
        if is_refused() and str(request.url).startswith(primary.base_url):
            request.url = httpx2.URL(refusing)

    async with (
        primary.serving(),
        spare.serving(),
        httpx2.AsyncClient(event_hooks={"request": [refuse]}) as http_client,
    ):
        warm = replace(
            models,
            settings=ProviderSettings(
                api_keys={provider: "k", "spare": "k"},
                base_urls={provider: primary.base_url, "spare": spare.base_url},
                deadlines=deadlines,
            ),
            http_client=http_client,
            tenants_network=tenants_network or models.tenants_network,
            breakers=CircuitBreakers(clock),
        )
        stack = ResolvedChannel(
            primary=ProviderChoice(provider=provider, model="first"),
            fallback=ProviderChoice(provider="spare", model="second"),
        )
        custom_llm_url = primary.base_url if provider == "custom" else None
        plan = call_plan(
            AgentConfig(name="Ada", custom_llm_url=custom_llm_url),
            stack=LOCAL_STACK.model_copy(update={"llm": stack}),
            locale=locale,
        )
        await warm.prepare(plan)
        importlib.import_module("livekit.plugins.openai")
        yield Prepared(warm, plan, clock)


@contextlib.asynccontextmanager
async def calling(
    models: WarmModels, primary: Wire, spare: OpenAIWire | None = None, **options: Any
) -> AsyncIterator[Calling]:
    """Afterwards no task is left, and nothing has failed behind our back.

    Args:
        options: of ``prepared``.
    """
    complaints: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    tasks_before = asyncio.all_tasks()
    spare = spare or OpenAIWire(answer_to=goes_on)
    async with prepared(models, primary, spare, **options) as ready:
        actions = NotedActions()
        supervised = supervised_llm(ready.plan, ready.models, actions)
        metrics: list[LLMMetrics] = []
        supervised.on("metrics_collected", metrics.append)
        history = llm.ChatContext.empty()
        history.add_message(role="system", content="You are Ada.")
        yield Calling(
            *(supervised, actions.channel_reports, actions, spare, ready.plan),
            *(history, ready.clock, metrics),
        )
        await supervised.aclose()
    for _ in range(50):
        if not asyncio.all_tasks() - tasks_before:
            break
        await asyncio.sleep(0.01)
    left = asyncio.all_tasks() - tasks_before
    gc.collect()
    await asyncio.sleep(0)
    assert not left, left
    assert not complaints, complaints
