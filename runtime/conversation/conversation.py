"""What a call asks its conversation to do, and what a conversation reports to its call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason
from contracts.events import EventBody
from contracts.live_messages import LiveBody
from pipelines.engine.call_actions import CallActions
from runtime.call.end_cause import CallFailure
from runtime.media.room import Room


class CallRecord(Protocol):
    """Where a conversation reports what happens. Every method returns at once; none raises."""

    def fact(self, body: EventBody) -> None:
        """Write an event into the call's journal."""

    def live(self, body: LiveBody) -> None:
        """Show something to participants and viewers."""

    def activity(self, *, user_speaking: bool, agent_active: bool) -> None:
        """Who is active from now on. An agent that thinks or speaks is active."""

    def failed(self, failure: CallFailure) -> None:
        """The conversation has failed and cannot continue."""

    def position_ms(self, at: float | None = None) -> int:
        """Milliseconds from ``call.started`` to ``at`` (``time.time()``; now if ``None``)."""


class Conversation(Protocol):
    """One agent talking in one room. Methods are called on the call's event loop."""

    async def start(self) -> None:
        """Start listening and get ready to speak, before anybody is in the room.

        Raises:
            SessionNotStarted: the engine or one of its parts cannot be started.
        """

    async def prepare(self, announcement: str | None) -> None:
        """Somebody connects: get the sound of what is said first ready, that is of
        ``announcement`` or else of the opener."""

    async def greet(self) -> None:
        """Start to say the opener, if there is one. Returns before the last part of it was
        played."""

    async def say(self, text: str, *, interruptible: bool) -> None:
        """Speak ``text`` after the current speech. Returns when it was played or cut off."""

    async def announce(self, text: str) -> bool:
        """Speak ``text``; callers cannot interrupt it. Returns whether all of it was played."""

    async def keys_pressed(self, digits: str) -> None:
        """The caller has entered ``digits`` on the phone's keypad: take that for a turn. It cuts
        off the current speech if the agent may be interrupted."""

    def stop_listening(self) -> None:
        """Answer nothing that is heard from now on."""

    def listen_again(self) -> None:
        """Answer what is heard from now on. Idempotent."""

    async def stop_speaking(self) -> None:
        """Cut off the current speech."""

    async def finish_speaking(self) -> bool:
        """Let the current speech play to its end, uninterrupted, and return then. Returns whether
        the agent has said something since the caller's last words."""

    def pause(self) -> None:
        """Nobody is there to hear the agent: hold its voice. Idempotent."""

    def resume(self) -> None:
        """Somebody is back: go on where ``pause`` stopped. Idempotent."""

    async def apologise(self, text: str) -> None:
        """Speak ``text`` after a failure, with any voice that still works. Silent if none does."""

    async def aclose(self) -> None:
        """Stop, and report the last words and the usage. Idempotent."""


OpenConversation = Callable[[CallPlan, Room, CallActions, CallRecord], Conversation]


class Phrases(Protocol):
    """The platform's own sentences in the call's language (``pipelines.texts.phrases``)."""

    def nudge(self, plan: CallPlan) -> str: ...

    def recording_announcement(self, plan: CallPlan) -> str: ...

    def not_recorded(self, plan: CallPlan) -> str: ...

    def farewell(self, plan: CallPlan, end_reason: EndReason) -> str: ...
