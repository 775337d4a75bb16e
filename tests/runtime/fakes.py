"""A room and a conversation that do what a test tells them, and plans for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import numpy as np

from contracts.agent_config import AgentConfig
from contracts.call_plan import (
    CallLimits,
    CallPlan,
    PlannedParticipant,
    ProviderChoice,
    ResolvedChannel,
    ResolvedStack,
)
from contracts.call_status import Transport
from contracts.end_reasons import EndReason
from contracts.events import EventBody
from contracts.live_messages import LiveBody, LiveMessage
from pipelines.engine.call_actions import CallActions
from runtime.call.end_cause import CallFailure
from runtime.conversation.conversation import CallRecord
from runtime.media.leg import DtmfNotPossible, Leg
from runtime.media.room import (
    HeardFrames,
    LegConnected,
    LegGone,
    LegInterrupted,
    LegPressed,
    RoomEvent,
    Samples,
)

CALLER = UUID(int=4)


def call_plan(
    *,
    call_id: UUID | None = None,
    created_at: datetime | None = None,
    limits: CallLimits | None = None,
) -> CallPlan:
    return CallPlan(
        call_id=call_id or uuid4(),
        tenant_id=UUID(int=2),
        agent_id=UUID(int=3),
        agent_version=1,
        room_name="room",
        created_at=created_at or datetime.now(UTC),
        agent=AgentConfig(name="Ada"),
        compiled_prompt="",
        locale="en-US",
        stack=ResolvedStack(
            stt=ResolvedChannel(primary=ProviderChoice(provider="local", model="stt")),
            llm=ResolvedChannel(primary=ProviderChoice(provider="local", model="llm")),
            tts=ResolvedChannel(primary=ProviderChoice(provider="local", model="tts")),
        ),
        prices=(),
        limits=limits
        or CallLimits(
            max_duration_seconds=600, silence_prompt_seconds=8, silence_hangup_seconds=15
        ),
        participants=(
            PlannedParticipant(
                participant_id=CALLER, transport=Transport.WEBRTC, identity="caller"
            ),
        ),
    )


def phone_plan(*, call_id: UUID | None = None) -> CallPlan:
    """A call to one phone."""
    callee = PlannedParticipant(
        participant_id=CALLER, transport=Transport.PSTN, identity="+14155550142"
    )
    return call_plan(call_id=call_id).model_copy(update={"participants": (callee,)})


class FakeVoice:
    queued_seconds = 0.0
    is_paused = False

    def push(self, samples: Samples) -> None: ...

    def clear(self) -> float:
        return 0.0

    def pause(self) -> None: ...

    def resume(self) -> None: ...

    async def wait_played(self) -> None: ...


class FakeRoom:
    """``answer_offer`` connects the leg ``connect_seconds`` later."""

    def __init__(self, name: str = "room") -> None:
        self.name = name
        self.voice = FakeVoice()
        self.messages: list[LiveBody] = []
        self.held: set[UUID] = set()
        self.digits_sent: list[tuple[UUID, str]] = []
        self.takes_no_digits: DtmfNotPossible | None = None
        self.closed = False
        self._events: asyncio.Queue[RoomEvent | None] = asyncio.Queue()
        self._lost: set[UUID] = set()
        self.tapped_by: Callable[[HeardFrames], None] | None = None

    def connect(self, participant_id: UUID = CALLER) -> None:
        self._lost.discard(participant_id)
        self._events.put_nowait(LegConnected(participant_id))

    def interrupt(self, silent_seconds: float, participant_id: UUID = CALLER) -> None:
        self._events.put_nowait(LegInterrupted(participant_id, silent_seconds))

    def lose(self, participant_id: UUID = CALLER) -> None:
        self._lost.add(participant_id)
        self.held.discard(participant_id)
        self._events.put_nowait(LegGone(participant_id, "connection_lost"))

    def give_up(self, participant_id: UUID = CALLER) -> None:
        """The participant has been away for too long."""
        self._events.put_nowait(LegGone(participant_id, "stayed_away"))

    async def add_leg(self, leg: Leg) -> None:
        self.connect(leg.participant_id)

    def hold(self, participant_id: UUID, *, held: bool) -> None:
        (self.held.add if held else self.held.discard)(participant_id)

    def mute(self, participant_id: UUID, *, muted: bool) -> None: ...

    def send_digits(self, participant_id: UUID, digits: str) -> None:
        if self.takes_no_digits is not None:
            raise self.takes_no_digits
        self.digits_sent.append((participant_id, digits))

    def press(self, digits: str, participant_id: UUID = CALLER) -> None:
        """The participant presses keys."""
        self._events.put_nowait(LegPressed(participant_id, digits))

    async def answer_offer(self, participant: PlannedParticipant, sdp: str) -> str:
        self.connect(participant.participant_id)
        return f"answer to {sdp}"

    async def remove_leg(self, participant_id: UUID) -> None:
        if participant_id not in self._lost:
            self._events.put_nowait(LegGone(participant_id, "left"))

    async def events(self) -> AsyncIterator[RoomEvent]:
        while (event := await self._events.get()) is not None:
            yield event

    async def listen(self) -> AsyncIterator[Samples]:
        return
        yield

    def tap(self, listener: Callable[[HeardFrames], None]) -> None:
        self.tapped_by = listener

    def broadcast(self, message: LiveMessage) -> None:
        self.messages.append(message.body)

    async def aclose(self) -> None:
        self.closed = True
        self._events.put_nowait(None)


@dataclass
class FakeConversation:
    """Speaks ``say_seconds`` per sentence and tells the record so, as the engine does."""

    record: CallRecord
    actions: CallActions
    say_seconds: float = 1.0
    start_failure: CallFailure | None = None
    start_seconds: float = 0.0
    announcements_are_played: bool = True
    said: list[str] = field(default_factory=list)
    entered: list[str] = field(default_factory=list)
    prepared: list[str | None] = field(default_factory=list)
    has_answered: bool = True
    cut_off: bool = False
    listens: bool = True
    is_paused: bool = False
    closed: bool = False
    current_speech: asyncio.Event | None = None

    async def start(self) -> None:
        if self.start_seconds:
            await asyncio.sleep(self.start_seconds)
        if self.start_failure is not None:
            raise self.start_failure

    async def prepare(self, announcement: str | None) -> None:
        self.prepared.append(announcement)

    async def greet(self) -> None:
        await self._speak("greeting")

    async def say(self, text: str, *, interruptible: bool) -> None:
        await self._speak(text)

    async def announce(self, text: str) -> bool:
        await self._speak(text)
        return self.announcements_are_played

    async def keys_pressed(self, digits: str) -> None:
        self.entered.append(digits)

    def stop_listening(self) -> None:
        self.listens = False

    def listen_again(self) -> None:
        self.listens = True

    async def stop_speaking(self) -> None:
        self.cut_off = True

    async def finish_speaking(self) -> bool:
        if self.current_speech is not None:
            await self.current_speech.wait()
        return self.has_answered

    def pause(self) -> None:
        self.is_paused = True

    def resume(self) -> None:
        self.is_paused = False

    async def apologise(self, text: str) -> None:
        self.said.append(f"apology: {text}")

    async def aclose(self) -> None:
        self.closed = True

    async def _speak(self, text: str) -> None:
        self.record.activity(user_speaking=False, agent_active=True)
        self.current_speech = asyncio.Event()
        await asyncio.sleep(self.say_seconds)
        self.said.append(text)
        self.current_speech.set()
        self.record.activity(user_speaking=False, agent_active=False)


class FakePhrases:
    def nudge(self, plan: CallPlan) -> str:
        return "nudge"

    def recording_announcement(self, plan: CallPlan) -> str:
        return "announcement"

    def not_recorded(self, plan: CallPlan) -> str:
        return "not recorded"

    def farewell(self, plan: CallPlan, end_reason: EndReason) -> str:
        return f"farewell: {end_reason.value}"


def no_recorded_apology(locale: str) -> Samples:
    return np.zeros(0, np.int16)


@dataclass
class FakeRecord:
    """Collects what a conversation reports."""

    facts: list[EventBody] = field(default_factory=list)
    shown: list[LiveBody] = field(default_factory=list)
    activities: list[tuple[bool, bool]] = field(default_factory=list)
    failures: list[CallFailure] = field(default_factory=list)
    now: float = 0.0

    def fact(self, body: EventBody) -> None:
        self.facts.append(body)

    def live(self, body: LiveBody) -> None:
        self.shown.append(body)

    def activity(self, *, user_speaking: bool, agent_active: bool) -> None:
        self.activities.append((user_speaking, agent_active))

    def failed(self, failure: CallFailure) -> None:
        self.failures.append(failure)

    def position_ms(self, at: float | None = None) -> int:
        return round((self.now if at is None else at) * 1000)


@dataclass
class EventList:
    """The journal of a call, in memory."""

    bodies: list[Any] = field(default_factory=list)

    @property
    def has_ended(self) -> bool:
        return bool(self.bodies) and self.bodies[-1].type == "call.ended"

    def append(self, body: EventBody) -> None:
        self.bodies.append(body)

    def types(self) -> list[str]:
        return [body.type for body in self.bodies]
