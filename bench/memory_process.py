"""The process under test of ``bench.density_memory``: many conversations and their callers."""

from __future__ import annotations

import asyncio
import logging
import tempfile
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from multiprocessing.connection import Connection
from pathlib import Path
from uuid import UUID

from livekit.agents import ConversationItemAddedEvent, llm

from bench.measured_calls import OPENER, Measured, Order, measure_calls
from bench.memory_caller import MemoryCaller, Noticed
from bench.memory_room import MemoryRoom
from bench.vendors.vendors_process import STACK
from contracts.agent_config import AgentConfig
from contracts.call_plan import CallPlan
from contracts.events import EventBody
from contracts.live_messages import LiveBody, LiveMessage
from pipelines.engine.shared_models import WarmModels, load_models
from pipelines.settings import ProviderSettings
from runtime.call.end_cause import CallFailure
from runtime.call.fact_log import FactLog
from runtime.conversation.engine_conversation import EngineConversation
from runtime.journal.journal import Journal
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.plans import call_plan


def process_under_test(pipe: Connection) -> None:
    logging.getLogger("livekit").setLevel(logging.ERROR)
    pipe.send(asyncio.run(_measure(pipe.recv())))


class _Record:
    """``runtime.conversation.conversation.CallRecord`` over a real journal."""

    def __init__(self, journal: Journal, room: MemoryRoom, measured: Measured) -> None:
        self._facts = FactLog(journal, self._publish, keeps_words=True)
        self._facts.room = room
        self._measured = measured
        self._began_at = time.time()

    def _publish(self, message: LiveMessage) -> None:
        """Nobody watches these calls."""

    def fact(self, body: EventBody) -> None:
        self._facts.fact(body)

    def live(self, body: LiveBody) -> None:
        self._facts.live(body)

    def activity(self, *, user_speaking: bool, agent_active: bool) -> None:
        """These calls have no limits."""

    def failed(self, failure: CallFailure) -> None:
        self._measured.failures.append(str(failure))

    def position_ms(self, at: float | None = None) -> int:
        return round(((time.time() if at is None else at) - self._began_at) * 1000)


async def _measure(order: Order) -> Measured:
    measured, noticed = Measured(), Noticed()
    keys = dict.fromkeys(order.base_urls, "bench")
    models = await load_models(ProviderSettings(api_keys=keys, base_urls=order.base_urls))
    with (
        tempfile.TemporaryDirectory(prefix="bench-journals-") as folder,
        ThreadPoolExecutor(1) as writer,
    ):

        @asynccontextmanager
        async def call(number: int) -> AsyncIterator[None]:
            path = Path(folder) / str(number)
            journal = await Journal.create(path, call_plan_of(number), "bench", writer)
            caller = MemoryCaller(number, order.lines, noticed)
            async with _conversation(journal, caller, models, noticed, measured):
                yield

        await measure_calls(order, call, noticed, measured)
    await models.aclose()
    return measured


@asynccontextmanager
async def _conversation(
    journal: Journal,
    caller: MemoryCaller,
    models: WarmModels,
    noticed: Noticed,
    measured: Measured,
) -> AsyncIterator[None]:
    plan = journal.plan
    room = MemoryRoom(plan.room_name, caller)
    record = _Record(journal, room, measured)
    conversation = EngineConversation(plan, room, NotedActions(), record, models)

    def on_item(event: ConversationItemAddedEvent) -> None:
        if noticed.is_measured and isinstance(event.item, llm.ChatMessage):
            delay = event.item.metrics.get("end_of_turn_delay")
            if isinstance(delay, float):
                measured.end_of_turn_ms.append(delay * 1000)

    conversation._session.on("conversation_item_added", on_item)
    await conversation.start()
    room.open()
    await conversation.greet()
    try:
        yield
    finally:
        await conversation.aclose()
        await room.aclose()
        await journal.aclose()


def call_plan_of(number: int) -> CallPlan:
    agent = AgentConfig.model_validate(
        {
            "name": "Mia",
            "persona": {"companyName": "Bright Dental", "role": "receptionist"},
            "playbook": {"opener": OPENER},
        }
    )
    plan = call_plan(agent, stack=STACK)
    return plan.model_copy(update={"call_id": UUID(int=number), "room_name": f"room-{number}"})
