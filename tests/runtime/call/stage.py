"""A whole call in virtual time, with a room and a conversation that follow the test."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from contracts.call_plan import CallLimits, CallPlan
from contracts.events import (
    CallEnded,
)
from pipelines.engine.call_actions import CallActions
from runtime.call.call import Call
from runtime.call.end_cause import RoomNotOpened, SessionNotStarted
from runtime.conversation.conversation import CallRecord
from runtime.media.room import Room
from runtime.recording.call_recording import CallRecording
from runtime.slots import Slots
from tests.runtime import virtual_time
from tests.runtime.fakes import (
    CALLER,
    EventList,
    FakeConversation,
    FakePhrases,
    FakeRoom,
    call_plan,
    no_recorded_apology,
)
from tests.runtime.recording.stores import MemoryPartStore

Script = Callable[["Stage"], Awaitable[None]]


PATIENT = CallLimits(
    max_duration_seconds=600, silence_prompt_seconds=500, silence_hangup_seconds=500
)


@dataclass
class Stage:
    """What a test's script acts on."""

    call: Call
    room: FakeRoom
    journal: EventList
    conversations: list[FakeConversation]
    opened_at: list[float] = field(default_factory=list)
    ended_at: float = 0.0

    @property
    def conversation(self) -> FakeConversation:
        return self.conversations[0]

    @property
    def ended(self) -> CallEnded:
        return self.journal.bodies[-1]


def play(
    script: Script,
    *,
    plan: CallPlan | None = None,
    funded_until_ms: int | None = None,
    start_failure: SessionNotStarted | None = None,
    start_seconds: float = 0.0,
    room_failure: RoomNotOpened | None = None,
    room_opens_after_seconds: float = 0.0,
    parts: MemoryPartStore | None = None,
    is_backed_up: bool = False,
    slots: Slots | None = None,
) -> Stage:
    """Run one call to its end while ``script`` acts on it. With ``parts`` it is recorded there."""

    async def main() -> Stage:
        room, journal = FakeRoom(), EventList()
        conversations: list[FakeConversation] = []

        async def open_room() -> Room:
            await asyncio.sleep(room_opens_after_seconds)
            if room_failure is not None:
                raise room_failure
            return room

        def open_conversation(
            plan: CallPlan, room: Room, actions: CallActions, record: CallRecord
        ) -> FakeConversation:
            conversations.append(
                FakeConversation(
                    record, actions, start_failure=start_failure, start_seconds=start_seconds
                )
            )
            return conversations[-1]

        def open_recording(plan: CallPlan, room: Room, record: CallRecord) -> CallRecording | None:
            if parts is None:
                return None
            return CallRecording(plan, room, record, FakePhrases(), parts, ThreadPoolExecutor(1))

        loop = asyncio.get_running_loop()
        call = Call(
            plan or call_plan(),
            journal,
            open_room=open_room,
            open_conversation=open_conversation,
            phrases=FakePhrases(),
            recorded_apology=no_recorded_apology,
            open_recording=open_recording,
            funded_until_ms=funded_until_ms,
            is_backed_up=lambda: is_backed_up,
            place=None if slots is None else slots.admit(),
            clock=loop.time,
            wall_clock=loop.time,
        )
        stage = Stage(call, room, journal, conversations)

        async def on_open() -> None:
            stage.opened_at.append(loop.time())

        async with asyncio.timeout(10_000), asyncio.TaskGroup() as group:
            acting = group.create_task(script(stage))
            await call.run(on_open)
            stage.ended_at = loop.time()
            acting.cancel()
        return stage

    return virtual_time.run(main())


async def connected(stage: Stage) -> None:
    await asyncio.sleep(1)
    await stage.call.answer_offer(CALLER, "caller", "offer")
    await asyncio.sleep(0.1)
