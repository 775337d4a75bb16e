"""A room without a network: the worker's own mixing, pacing and clock, and one leg in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from uuid import UUID

from contracts.call_plan import PlannedParticipant
from contracts.live_messages import LiveMessage
from runtime.link.closable_queue import ClosableQueue
from runtime.media.audio.paced_output import PacedOutput
from runtime.media.audio.room_audio import LegAudio, RoomAudio
from runtime.media.leg import Leg
from runtime.media.room import AgentVoice, HeardFrames, RoomEvent, Samples
from runtime.media.room_clock import MonotonicClock, ticks


class MemoryRoom:
    """``runtime.media.room.Room`` without offers."""

    def __init__(self, name: str, leg: LegAudio) -> None:
        self.name = name
        output = PacedOutput()
        self.voice: AgentVoice = output
        self._audio = RoomAudio(output)
        self._legs = {UUID(int=1): leg}
        self._frames: ClosableQueue[Samples] = ClosableQueue(50)
        self._events: ClosableQueue[RoomEvent] = ClosableQueue()
        self._pulse: asyncio.Task[None] | None = None
        self.live_bytes = 0

    def open(self) -> None:
        """The caller is connected from now on."""
        self._pulse = asyncio.create_task(self._run())

    async def _run(self) -> None:
        async for tick in ticks(MonotonicClock()):
            for frame in self._audio.tick(self._legs, tick):
                self._frames.put(frame)

    async def add_leg(self, leg: Leg) -> None:
        raise NotImplementedError("this room has its one leg")

    async def answer_offer(self, participant: PlannedParticipant, sdp: str) -> str:
        raise NotImplementedError("this room has no network")

    def hold(self, participant_id: UUID, *, held: bool) -> None:
        raise NotImplementedError("nobody is held in this room")

    def mute(self, participant_id: UUID, *, muted: bool) -> None:
        raise NotImplementedError("nobody is muted in this room")

    def send_digits(self, participant_id: UUID, digits: str) -> None:
        raise NotImplementedError("this room's leg has no keys")

    async def remove_leg(self, participant_id: UUID) -> None:
        self._legs.pop(participant_id, None)

    def events(self) -> ClosableQueue[RoomEvent]:
        return self._events

    def listen(self) -> ClosableQueue[Samples]:
        return self._frames

    def tap(self, listener: Callable[[HeardFrames], None]) -> None:
        self._audio.listeners.append(listener)

    def broadcast(self, message: LiveMessage) -> None:
        self.live_bytes += len(message.model_dump_json())

    async def aclose(self) -> None:
        self._frames.close()
        self._events.close()
        if self._pulse is not None:
            self._pulse.cancel()
            await asyncio.wait([self._pulse])
