"""What a call asks of its conversation, and what a conversation reports to its call."""

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
    """Where a conversation puts what happens in it. Every method returns at once; none raises."""

    def fact(self, body: EventBody) -> None:
        """Write an event into the call's journal."""

    def live(self, body: LiveBody) -> None:
        """Show something to the pages in the room."""

    def activity(self, *, user_speaking: bool, agent_active: bool) -> None:
        """Who is active from now on; an agent that thinks or speaks is active."""

    def failed(self, failure: CallFailure) -> None:
        """The conversation is over and cannot go on."""

    def position_ms(self, at: float | None = None) -> int:
        """Milliseconds from ``call.started`` to ``at`` (``time.time()``; now if ``None``)."""


class Conversation(Protocol):
    """One agent talking in one room. Methods are awaited on the call's event loop."""

    async def start(self) -> None:
        """Listen and be ready to speak. Before anybody is in the room.

        Raises:
            SessionNotStarted: the engine or one of its parts cannot be started.
        """

    async def greet(self) -> None:
        """Say the opener, if there is one. Returns once it is under way."""

    async def say(self, text: str, *, interruptible: bool) -> None:
        """Speak ``text`` behind what is being said. Returns when it was played or cut off."""

    async def announce(self, text: str) -> bool:
        """Speak ``text``, which callers cannot interrupt. Returns whether it was played to its
        end."""

    async def stop_speaking(self) -> None:
        """Cut off whatever is being said."""

    async def finish_speaking(self) -> None:
        """Return when what is being said has been played; it cannot be interrupted any more."""

    async def apologise(self, text: str) -> None:
        """Speak ``text`` with whatever voice still works after a failure; nothing if none does."""

    async def aclose(self) -> None:
        """Stop, and report what is still open: last words, usage. Idempotent."""


OpenConversation = Callable[[CallPlan, Room, CallActions, CallRecord], Conversation]


class Phrases(Protocol):
    """Sentences of the platform, in the language of the call (``pipelines.texts.phrases``)."""

    def nudge(self, plan: CallPlan) -> str: ...

    def recording_announcement(self, plan: CallPlan) -> str: ...

    def farewell(self, plan: CallPlan, end_reason: EndReason) -> str: ...
