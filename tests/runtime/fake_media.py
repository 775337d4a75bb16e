"""What a worker under test carries calls with: no audio, no models."""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from contracts.call_plan import CallPlan
from pipelines.engine.call_actions import CallActions
from runtime.conversation.conversation import CallRecord
from runtime.media.room import Room, Samples
from runtime.media.room_clock import lateness_listener
from tests.runtime.fakes import FakeConversation, FakeRoom, no_recorded_apology


class FakeMedia:
    def __init__(self) -> None:
        self.rooms: dict[UUID, FakeRoom] = {}
        self.conversations: list[FakeConversation] = []
        self.frame_was_late: Callable[[float], None] | None = None
        """Who is told how many seconds a frame of a room is late."""
        self.closed = False

    async def open_room(self, plan: CallPlan) -> Room:
        self.frame_was_late = lateness_listener.get()
        self.rooms[plan.call_id] = FakeRoom(plan.room_name)
        return self.rooms[plan.call_id]

    @property
    def oldest_request_seconds(self) -> float:
        return 0.0

    def open_conversation(
        self, plan: CallPlan, room: Room, actions: CallActions, record: CallRecord
    ) -> FakeConversation:
        self.conversations.append(FakeConversation(record, actions, say_seconds=0.05))
        return self.conversations[-1]

    def recorded_apology(self, locale: str) -> Samples:
        return no_recorded_apology(locale)

    async def aclose(self) -> None:
        self.closed = True
