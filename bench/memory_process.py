"""The process under test of ``bench.density_memory``: many conversations and their callers."""

from __future__ import annotations

import asyncio
import gc
import logging
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from uuid import UUID

import numpy as np
import psutil
from livekit.agents import ConversationItemAddedEvent, llm

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
from runtime.media.room import Samples
from tests.pipelines.engine.actions import NotedActions
from tests.pipelines.plans import call_plan

_TURN_SECONDS = 7.0
"""About how long a turn of both takes. The calls begin evenly within it."""
_SETTLE_SECONDS = 6.0


@dataclass
class Order:
    calls: int
    seconds: float
    base_urls: dict[str, str]
    lines: Sequence[Samples]


@dataclass
class Measured:
    took_seconds: float = 0.0
    used_seconds: float = 0.0
    """Of the whole process, the callers included."""
    loop_seconds: float = 0.0
    """Of the event loop's thread."""
    memory_mb: float = 0.0
    """By which the process has grown since its models were loaded."""
    callers_seconds: float = 0.0
    spoken_share: float = 0.0
    lateness_ms: list[float] = field(default_factory=list)
    voice_to_voice_ms: list[float] = field(default_factory=list)
    end_of_turn_ms: list[float] = field(default_factory=list)
    """From the caller's last sound to the engine's decision that the turn is over."""
    unanswered: int = 0
    failures: list[str] = field(default_factory=list)


def process_under_test(pipe: Connection) -> None:
    logging.getLogger("livekit").setLevel(logging.ERROR)
    pipe.send(asyncio.run(_measure(pipe.recv())))


class _Record:
    """``runtime.conversation.conversation.CallRecord`` over a real journal."""

    def __init__(self, journal: Journal, room: MemoryRoom, measured: Measured) -> None:
        self._facts = FactLog(journal, self._publish, transcription_enabled=True)
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
    gc.collect()
    gc.freeze()
    process = psutil.Process()
    resident = process.memory_info().rss
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-journals-")))
        writer = stack.enter_context(ThreadPoolExecutor(1))
        for number in range(order.calls):
            journal = await Journal.create(folder / str(number), _plan(number), "bench", writer)
            caller = MemoryCaller(number, order.lines, noticed)
            await stack.enter_async_context(
                _conversation(journal, caller, models, noticed, measured)
            )
            await asyncio.sleep(_TURN_SECONDS / order.calls)
        await asyncio.sleep(_SETTLE_SECONDS)
        noticed.is_measured = True
        used, on_loop, began_at = time.process_time(), time.thread_time(), time.monotonic()
        await asyncio.sleep(order.seconds)
        noticed.is_measured = False
        measured.used_seconds = time.process_time() - used
        measured.loop_seconds = time.thread_time() - on_loop
        measured.took_seconds = time.monotonic() - began_at
        measured.memory_mb = (process.memory_info().rss - resident) / 2**20
    await models.aclose()
    measured.callers_seconds = noticed.used_seconds
    measured.spoken_share = noticed.spoken_frames / max(1, noticed.frames)
    measured.lateness_ms = _lateness_ms(noticed.sent_at)
    measured.voice_to_voice_ms = noticed.voice_to_voice_ms
    measured.unanswered = noticed.unanswered
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


def _plan(number: int) -> CallPlan:
    agent = AgentConfig.model_validate(
        {
            "name": "Mia",
            "persona": {"companyName": "Bright Dental", "role": "receptionist"},
            "playbook": {"opener": "Bright Dental, this is Mia. How can I help you?"},
        }
    )
    plan = call_plan(agent, stack=STACK)
    return plan.model_copy(update={"call_id": UUID(int=number), "room_name": f"room-{number}"})


def _lateness_ms(sent_at: list[tuple[int, float]]) -> list[float]:
    """Of each frame, against the earliest one of its call."""
    calls = np.array([call for call, _ in sent_at])
    times = np.array([at for _, at in sent_at])
    late: list[float] = []
    for call in np.unique(calls):
        own = times[calls == call]
        late += ((own - own.min()) * 1000).tolist()
    return late
