"""A call is a room; a person in it is a leg. What every kind of room offers to the worker.

A room hands the engine one audio input (everyone who is not the agent, mixed) and one audio output
(the agent's voice), however many legs it has and whatever they are made of.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from contracts.call_plan import PlannedParticipant
from contracts.live_messages import LiveMessage

FRAME_MS = 20
ENGINE_INPUT_HZ = 16_000
ENGINE_OUTPUT_HZ = 24_000

Samples = NDArray[np.int16]
"""Mono PCM, shape ``(samples,)``."""


@dataclass(frozen=True)
class HeardFrames:
    """What was heard in a room since the tick before.

    ``index`` counts the room's frames of ``FRAME_MS``; a late tick's index skips those it stands
    for.
    """

    index: int
    people: Sequence[Samples]
    """Everyone but the agent, mixed, 48 kHz: one frame per period, the last one for ``index``."""
    agent: Samples
    """Frame ``index`` of the agent's voice, ``ENGINE_OUTPUT_HZ``; silence where nobody heard it."""


@dataclass(frozen=True)
class LegConnected:
    """The leg's media is up: audio can flow both ways."""

    participant_id: UUID


@dataclass(frozen=True)
class LegGone:
    participant_id: UUID
    cause: Literal["left", "connection_lost"]


RoomEvent = LegConnected | LegGone


class BadOffer(ValueError):
    """The offer is not SDP, or offers nothing that this room can answer."""


class RoomClosed(RuntimeError):
    """The room takes no more legs."""


class AgentVoice(Protocol):
    """The agent's way to be heard: a queue played in real time that can be emptied at once."""

    on_played: Callable[[int], None] | None
    """Called in each frame in which queued samples were played, with their number."""

    def push(self, samples: Samples) -> None:
        """Queue ``samples`` (``ENGINE_OUTPUT_HZ``) behind what is already queued."""

    def clear(self) -> float:
        """Drop everything not yet played. Returns the seconds dropped."""

    def pause(self) -> None:
        """Hold the queue: legs hear silence from the next frame on. Idempotent."""

    def resume(self) -> None:
        """Go on where ``pause`` held. Idempotent."""

    @property
    def queued_seconds(self) -> float:
        """What is queued and not yet played."""

    async def wait_played(self) -> None:
        """Return once the queue is empty, by playing or by ``clear``."""


class Room(Protocol):
    """One call's room. All methods are called from the event loop that created it."""

    name: str

    @property
    def voice(self) -> AgentVoice:
        """The same one for as long as the room lives."""

    async def answer_offer(self, participant: PlannedParticipant, sdp: str) -> str:
        """Open a leg for a browser's SDP offer and return the SDP answer (gathering finished).

        A second offer for the same participant replaces the leg (a page that was reloaded).

        Raises:
            BadOffer: the offer cannot be answered.
            RoomClosed: the room is closing or closed.
        """

    async def remove_leg(self, participant_id: UUID) -> None:
        """Close a leg in good order (``LegGone`` with cause ``left``). Unknown ids do nothing."""

    def events(self) -> AsyncIterator[RoomEvent]:
        """Legs coming and going, in order, until the room is closed. One consumer."""

    def listen(self) -> AsyncIterator[Samples]:
        """Everyone but the agent, mixed: ``ENGINE_INPUT_HZ``, one array per ``FRAME_MS``, paced by
        the room's clock from the first leg's connection on, silence where nobody sends. Ends when
        the room is closed. One consumer."""

    def tap(self, listener: Callable[[HeardFrames], None]) -> None:
        """Hand what is heard to ``listener``, from the next frame on until the room is closed. It
        is called in every frame and must return at once. One listener."""

    def broadcast(self, message: LiveMessage) -> None:
        """Send to every leg's data channel. The newest messages are kept for a leg whose channel is
        not open yet; one whose channel has closed misses them. A leg that comes later is first told
        those that are still true (``contracts.live_replay``)."""

    async def aclose(self) -> None:
        """Close every leg and end both iterators. Idempotent."""
