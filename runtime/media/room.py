"""What every kind of room offers to the worker. Each call has one room; each person in it is a leg.

A room gives the engine one audio input (everyone except the agent, mixed) and one audio output (the
agent's voice), for any number and kind of legs.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from contracts.call_plan import PlannedParticipant
from contracts.live_messages import LiveMessage

if TYPE_CHECKING:
    from runtime.media.leg import Leg

FRAME_MS = 20
ENGINE_INPUT_HZ = 16_000
ENGINE_OUTPUT_HZ = 24_000

Samples = NDArray[np.int16]
"""Mono PCM, shape ``(samples,)``."""


@dataclass(frozen=True)
class HeardFrames:
    """What was heard in a room since the last tick.

    ``index`` counts the room's frames of ``FRAME_MS``. A late tick stands for several frames, and
    the index skips those before the last.
    """

    index: int
    people: Sequence[Samples]
    """Everyone except the agent, mixed, 48 kHz: one frame per period, the last is ``index``."""
    agent: Samples
    """Frame ``index`` of the agent's voice, ``ENGINE_OUTPUT_HZ``; silence if nobody heard it."""


@dataclass(frozen=True)
class LegConnected:
    """The leg's media is connected: audio can flow both ways. Also when it does so again."""

    participant_id: UUID


@dataclass(frozen=True)
class LegInterrupted:
    """Nothing comes from the participant any more. ``LegConnected`` follows if it comes back in
    time, otherwise ``LegGone``."""

    participant_id: UUID
    silent_seconds: float
    """How long ago something last came."""


GoneCause = Literal["left", "connection_lost", "stayed_away"]
"""``left``: the participant said so. ``connection_lost``: its connection was closed without that.
``stayed_away``: it was interrupted, and its time to come back is over."""


@dataclass(frozen=True)
class LegGone:
    """The participant is not in the room any more. It may offer again."""

    participant_id: UUID
    cause: GoneCause


@dataclass(frozen=True)
class LegPressed:
    """The participant pressed keys (``0-9 A-D * #``)."""

    participant_id: UUID
    digits: str


RoomEvent = LegConnected | LegInterrupted | LegGone | LegPressed


class BadOffer(ValueError):
    """The offer is not SDP, or contains nothing that this room can answer."""


class RoomClosed(RuntimeError):
    """The room accepts no more legs."""


class AgentVoice(Protocol):
    """The agent's voice: a queue that is played in real time and can be emptied at once."""

    on_played: Callable[[int], None] | None
    """Called with the number of samples, in each frame in which people heard queued samples to
    their end. Where a leg's network tells how late it plays, that is so much later than they were
    sent."""

    def push(self, samples: Samples) -> None:
        """Add ``samples`` (``ENGINE_OUTPUT_HZ``) to the end of the queue."""

    def clear(self) -> float:
        """Drop everything not yet heard. Returns the seconds dropped."""

    def pause(self) -> None:
        """Stop playing: legs hear silence from the next frame on. What was sent and not heard yet
        is taken back. Idempotent."""

    def resume(self) -> None:
        """Continue with what was not heard when ``pause`` stopped. Idempotent."""

    @property
    def is_paused(self) -> bool: ...

    @property
    def queued_seconds(self) -> float:
        """How much is not heard yet, as far as people's networks tell."""

    async def wait_played(self) -> None:
        """Return once the queue is empty, because it was heard or cleared."""


class Room(Protocol):
    """One call's room. All methods are called from the event loop that created it."""

    name: str

    @property
    def voice(self) -> AgentVoice:
        """The same object throughout the room's life."""

    async def add_leg(self, leg: Leg) -> None:
        """Let a leg of any kind in. From now on the room owns it, and closes it.

        A second leg of the same participant replaces the first: its network has changed, or its
        page was reloaded.

        Raises:
            RoomClosed: the room is closing or closed; the leg was closed.
        """

    async def answer_offer(self, participant: PlannedParticipant, sdp: str) -> str:
        """Open a leg for a browser's SDP offer, add it, and return the SDP answer (gathering
        finished).

        Raises:
            BadOffer: the offer cannot be answered, or another one of the participant is being
                answered.
            RoomClosed: the room is closing or closed.
        """

    async def remove_leg(self, participant_id: UUID) -> None:
        """Close a leg (``LegGone`` with the cause ``left``). Ignores unknown ids."""

    def hold(self, participant_id: UUID, *, held: bool) -> None:
        """While a leg is held, it hears music instead of the others, and nobody hears it. Ignores
        unknown ids."""

    def mute(self, participant_id: UUID, *, muted: bool) -> None:
        """While a leg is muted, nobody hears it. Ignores unknown ids."""

    def send_digits(self, participant_id: UUID, digits: str) -> None:
        """Press keys (``0-9 A-D * #``) towards a participant's side.

        Raises:
            KeyError: the participant has no leg.
            DtmfNotPossible: its leg has no keys.
            LineInterrupted: nothing reaches the phone at the moment.
        """

    def events(self) -> AsyncIterator[RoomEvent]:
        """Legs coming and going, in order, until the room is closed. One consumer."""

    def listen(self) -> AsyncIterator[Samples]:
        """Everyone except the agent, mixed: ``ENGINE_INPUT_HZ``, one array per ``FRAME_MS``.

        Starts when the first leg connects, follows the room's clock, and is silent when nobody
        sends. Ends when the room is closed. One consumer.
        """

    def tap(self, listener: Callable[[HeardFrames], None]) -> None:
        """Call ``listener`` with what is heard, in every frame until the room is closed. It must
        return at once."""

    def broadcast(self, message: LiveMessage) -> None:
        """Send ``message`` to every leg's data channel.

        A leg whose channel is not open yet gets the newest messages when it opens. A leg whose
        channel has closed misses them. A leg that joins later first gets the messages that are
        still true (``contracts.live_replay``).
        """

    async def aclose(self) -> None:
        """Close every leg and end both iterators. Idempotent."""
