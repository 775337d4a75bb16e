"""What a transfer needs of its call."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine
from typing import Any, Literal, Protocol
from uuid import UUID

from contracts.call_plan import CallPlan
from contracts.events import PhoneWanted
from runtime.call.end_cause import Ending
from runtime.conversation.conversation import Conversation
from runtime.media.room import HeardFrames


class TransferringCall(Protocol):
    @property
    def plan(self) -> CallPlan: ...

    @property
    def conversation(self) -> Conversation | None: ...

    @property
    def people_here(self) -> Collection[UUID]:
        """Who can hear and be heard."""

    @property
    def people(self) -> Collection[UUID]:
        """Who is in the call: here, or interrupted."""

    def hold(self, participant_id: UUID, *, held: bool) -> None: ...

    def listen_in(self, listener: Callable[[HeardFrames], None]) -> None:
        """Give ``listener`` what is heard in the room, in every frame."""

    def drop_leg(self, participant_id: UUID) -> None:
        """Hang up on one participant, if it has a leg."""

    def spawn(self, work: Coroutine[Any, Any, None]) -> None: ...

    def end(self, ending: Ending) -> None: ...

    def activity(self, *, user_speaking: bool, agent_active: bool) -> None:
        """Who is active from now on: silence is counted while nobody is."""

    def call_phone(self, wanted: PhoneWanted) -> None:
        """Ask the control plane for a phone."""

    def stop_calling(self, participant_id: UUID) -> None:
        """Tell the control plane that nobody waits for the phone any more."""

    def log(self, level: Literal["info", "warning", "error"], message: str) -> None: ...
