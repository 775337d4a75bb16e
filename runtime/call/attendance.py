"""Who comes to a call, is interrupted and goes, and what that means for the call."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Literal, Protocol
from uuid import UUID

from contracts.events import EventBody, LegJoined, LegLeft
from contracts.live_messages import LiveBody, ParticipantStateChanged
from runtime.call.departures import Departures
from runtime.call.end_cause import Cause, Ending
from runtime.call.limit_timer import LimitTimer
from runtime.call.presence import Presence
from runtime.call.transfer.transfers import Transfers
from runtime.conversation.conversation import Conversation
from runtime.media.room import (
    GoneCause,
    LegConnected,
    LegGone,
    LegInterrupted,
    LegPressed,
    Room,
)
from runtime.recording.call_recording import CallRecording

REJOIN_SECONDS = 5.0
"""How long somebody whose connection was closed has to come back."""


class AttendedCall(Protocol):
    @property
    def conversation(self) -> Conversation | None: ...

    @property
    def recording(self) -> CallRecording | None: ...

    @property
    def is_ending(self) -> bool: ...

    def started(self, participant_id: UUID) -> None:
        """The first media is connected, that of this participant."""

    def welcome(self, *, is_first: bool) -> None:
        """Say to somebody who has joined what people hear first."""

    def keys_pressed(self, participant_id: UUID, digits: str) -> None: ...

    def spawn(self, work: Coroutine[Any, Any, None]) -> None: ...

    def end(self, ending: Ending) -> None: ...

    def cut_short(self) -> None:
        """The call is ending, and nobody hears the farewell any more."""

    def fact(self, body: EventBody) -> None: ...

    def live(self, body: LiveBody) -> None: ...

    def log(self, level: Literal["info", "warning", "error"], message: str) -> None: ...


class Attendance:
    """Follows the room of one call. The parts it is given are the call's own."""

    def __init__(
        self,
        call: AttendedCall,
        presence: Presence,
        departures: Departures,
        limits: LimitTimer,
        transfers: Transfers,
    ) -> None:
        self._call = call
        self._presence = presence
        self._departures = departures
        self._limits = limits
        self._transfers = transfers

    @property
    def callers(self) -> frozenset[UUID]:
        """Who keeps the call going. Somebody who was called into it would talk to nobody."""
        return self._presence.legs - self._transfers.targets

    async def follow(self, room: Room) -> None:
        """Returns when the room has closed by itself, which ends the call."""
        async for event in room.events():
            match event:
                case LegConnected(participant_id):
                    self._connected(participant_id)
                case LegInterrupted(participant_id, silent_seconds):
                    self._interrupted(participant_id, silent_seconds)
                case LegGone(participant_id, cause):
                    self._gone(participant_id, cause)
                case LegPressed(participant_id, digits):
                    if participant_id in self._presence.here:
                        self._call.keys_pressed(participant_id, digits)
        self._call.end(Ending.because(Cause.ROOM_FAILED, "the room closed by itself"))

    def hung_up(self, participant_id: UUID, lost_carrier: str | None) -> None:
        """The leg of somebody who has hung up, or of a phone of ``lost_carrier`` whose line was
        lost, is removed from the room."""
        # A person who has picked up for a transfer may be gone before the room has heard anything.
        gone_why = "hung up" if lost_carrier is None else "the line was lost"
        self._transfers.not_reached(participant_id, gone_why)
        ending = self._departures.ending_at_hang_up(
            participant_id, lost_carrier, anybody_stays=bool(self.callers)
        )
        if ending is not None:
            self._call.end(ending)

    def _connected(self, participant_id: UUID) -> None:
        call, presence = self._call, self._presence
        self._departures.connected(participant_id)
        if participant_id in presence.here:
            return
        if call.is_ending:
            self._transfers.joined_late(participant_id)
            return
        returns = participant_id in presence.away
        self._transfers.joined(participant_id)
        if not presence.here and call.conversation is not None:
            call.conversation.resume()
        is_first = presence.joined(participant_id)
        if is_first:
            call.started(participant_id)
        self._limits.meter_runs(presence.connected_ms or 0)
        if returns:
            call.log("info", "A participant's connection is back")
            call.live(ParticipantStateChanged(participant_id=participant_id, state="connected"))
            return
        if call.recording is not None:
            call.recording.joined(participant_id)
        call.fact(LegJoined(participant_id=participant_id))
        call.welcome(is_first=is_first)

    def _interrupted(self, participant_id: UUID, silent_seconds: float) -> None:
        if participant_id not in self._presence.here:
            return
        self._presence.interrupted(participant_id, silent_seconds)
        self._call.log("info", f"Nothing has come from a participant for {silent_seconds:.1f} s")
        self._call.live(
            ParticipantStateChanged(
                participant_id=participant_id, state="connection_lost", may_return=True
            )
        )
        self._pause_if_nobody_is_here()

    def _pause_if_nobody_is_here(self) -> None:
        if self._presence.here:
            return
        self._limits.meter_holds()
        if self._call.is_ending:
            self._call.cut_short()
        elif self._call.conversation is not None:
            self._call.conversation.pause()

    def _gone(self, participant_id: UUID, cause: GoneCause) -> None:
        call = self._call
        if participant_id not in self._presence.legs:
            if self._departures.nobody_comes:
                call.end(Ending.because(Cause.LAST_LEG_LEFT))
            return
        self._presence.left(participant_id)
        departure = self._departures.gone(participant_id, cause)
        call.fact(
            LegLeft(
                participant_id=participant_id,
                cause="left" if departure.has_left else "connection_lost",
                lost_carrier=departure.lost_carrier,
            )
        )
        self._pause_if_nobody_is_here()
        if call.recording is not None:
            call.recording.left(participant_id)
        self._transfers.left(participant_id)
        if self.callers or participant_id in self._transfers.targets:
            return
        if departure.ending is not None:
            call.end(departure.ending)
        elif call.is_ending:
            call.end(Ending.because(Cause.LAST_LEG_LEFT))
        else:
            call.spawn(self._await_rejoin(self._departures.awaited(participant_id)))

    async def _await_rejoin(self, loss: int) -> None:
        await asyncio.sleep(REJOIN_SECONDS)
        if self._departures.is_latest(loss) and not self.callers:
            self._call.end(Ending.because(Cause.LAST_LEG_LOST))
