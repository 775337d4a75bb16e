"""A room on this machine: legs of any kind, mixed in the worker's own process."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from functools import partial
from uuid import UUID

import structlog

from contracts.call_plan import PlannedParticipant
from contracts.live_messages import LiveMessage
from contracts.live_replay import positions_to_replay
from runtime.link.closable_queue import ClosableQueue
from runtime.media.audio.paced_output import PacedOutput
from runtime.media.audio.room_audio import RoomAudio
from runtime.media.leg import Leg
from runtime.media.liveness import Liveness
from runtime.media.network.aiortc_internals import ANY_PORT
from runtime.media.network.ice_addresses import local_ice_addresses
from runtime.media.network.media_network import MediaNetwork
from runtime.media.network.remote_candidates import RemoteAddresses
from runtime.media.network.sdp_offer import read_offer
from runtime.media.room import (
    AgentVoice,
    BadOffer,
    GoneCause,
    HeardFrames,
    LegConnected,
    LegGone,
    LegInterrupted,
    LegPressed,
    RoomClosed,
    RoomEvent,
    Samples,
)
from runtime.media.room_clock import Clock, MonotonicClock, Tick, ticks
from runtime.media.webrtc_leg import WebRtcLeg

_MOST_UNHEARD_FRAMES = 50
"""One second. If the engine does not listen for longer, the oldest frames are dropped."""

_SUPERVISE_EVERY_TICKS = 25

_MOST_REPLAYED = 1_000
"""How many of the newest live messages are kept to be replayed to a leg that joins later."""

log = structlog.get_logger(__name__)


class LocalRoom:
    """``runtime.media.room.Room`` over aiortc.

    There is no event when a leg is replaced, because the participant's network has changed or its
    page was reloaded. The next event is ``LegConnected`` for the new leg. If that leg fails, the
    participant may offer again, until nothing has come from it for ``LOST_AFTER_SECONDS``. There is
    no event for a participant that has never connected.
    """

    def __init__(
        self,
        name: str,
        network: MediaNetwork = ANY_PORT,
        clock: Clock | None = None,
        offer_loopback: bool = False,
    ) -> None:
        """
        Args:
            network: ports, advertised addresses, STUN and TURN servers of its legs.
            offer_loopback: also offer 127.0.0.1, which is otherwise offered only if the machine
                has no other address.
        """
        self.name = name
        output = PacedOutput()
        output.on_cleared = self._clear_legs
        self.voice: AgentVoice = output
        self._network = network
        self._clock = clock or MonotonicClock()
        self._offer_loopback = offer_loopback
        self._audio = RoomAudio(output)
        self._legs: dict[UUID, Leg] = {}
        self._liveness: dict[UUID, Liveness] = {}
        """Of each participant who has connected and is not gone."""
        self._away: set[UUID] = set()
        """Those of them from whom nothing comes."""
        self._answering: set[UUID] = set()
        """Participants with an offer that is not answered yet."""
        self._closing: set[asyncio.Task[None]] = set()
        self._sent: deque[LiveMessage] = deque(maxlen=_MOST_REPLAYED)
        self._events: ClosableQueue[RoomEvent] = ClosableQueue()
        self._frames: ClosableQueue[Samples] = ClosableQueue(_MOST_UNHEARD_FRAMES)
        self._pulse: asyncio.Task[None] | None = None
        self._running = False
        self._closed = False
        self._log = log.bind(room=name)

    async def answer_offer(self, participant: PlannedParticipant, sdp: str) -> str:
        if self._closed:
            raise RoomClosed(f"room {self.name} is closed")
        participant_id = participant.participant_id
        if participant_id in self._answering:
            raise BadOffer("Another offer of this participant is being answered. Wait for that.")
        self._answering.add(participant_id)
        try:
            return await self._answer(participant_id, sdp)
        finally:
            self._answering.discard(participant_id)

    async def _answer(self, participant_id: UUID, sdp: str) -> str:
        addresses = local_ice_addresses(self._offer_loopback)
        may_be = RemoteAddresses.of(self._network, addresses)
        offer = await asyncio.to_thread(read_offer, sdp, may_be)
        now = self._clock.now()
        leg = WebRtcLeg(
            participant_id,
            addresses,
            self._network,
            now,
            self._liveness.get(participant_id) or Liveness(now),
        )
        answered = False
        try:
            answer = await leg.answer(offer)
            answered = True
        finally:
            if not answered or self._closed:
                await leg.close()
        if self._closed:
            raise RoomClosed(f"room {self.name} was closed while the offer was answered")
        await self.add_leg(leg)
        return answer

    async def add_leg(self, leg: Leg) -> None:
        if self._closed:
            await leg.close()
            raise RoomClosed(f"room {self.name} is closed")
        self._close_soon(self._legs.pop(leg.participant_id, None))
        self._legs[leg.participant_id] = leg
        leg.on_change = self._leg_changed
        leg.on_digits = self._digits_pressed
        sent = list(self._sent)
        for position in positions_to_replay([message.body for message in sent]):
            leg.tell(sent[position].model_dump_json())
        if self._pulse is None:
            self._pulse = asyncio.create_task(self._run(), name=f"room-{self.name}")
            self._pulse.add_done_callback(self._stopped)
        if leg.state != "connecting":
            self._leg_changed(leg)

    async def remove_leg(self, participant_id: UUID) -> None:
        leg = self._legs.pop(participant_id, None)
        if leg is None and participant_id not in self._liveness:
            return
        self._gone(participant_id, "left")
        closing = self._close_soon(leg)
        if closing is not None:
            # Who waits here may be cancelled, because the call ends with its last leg.
            await asyncio.wait([closing])

    def hold(self, participant_id: UUID, *, held: bool) -> None:
        self._audio.hold(participant_id, held=held)

    def mute(self, participant_id: UUID, *, muted: bool) -> None:
        self._audio.mute(participant_id, muted=muted)

    def send_digits(self, participant_id: UUID, digits: str) -> None:
        self._legs[participant_id].send_digits(digits)

    def events(self) -> ClosableQueue[RoomEvent]:
        return self._events

    def listen(self) -> ClosableQueue[Samples]:
        return self._frames

    def tap(self, listener: Callable[[HeardFrames], None]) -> None:
        self._audio.listeners.append(listener)

    def broadcast(self, message: LiveMessage) -> None:
        self._sent.append(message)
        text = message.model_dump_json()
        for leg in self._legs.values():
            leg.tell(text)

    async def aclose(self) -> None:
        self._closed = True
        self._events.close()
        self._frames.close()
        if self._pulse is not None:
            self._pulse.cancel()
            await asyncio.wait([self._pulse])
        while self._legs:
            self._close_soon(self._legs.popitem()[1])
        if self._closing:
            await asyncio.wait(self._closing)

    async def _run(self) -> None:
        async for tick in ticks(self._clock):
            self._tick(tick)

    def _stopped(self, pulse: asyncio.Task[None]) -> None:
        self._frames.close()
        self._events.close()
        if not pulse.cancelled() and (error := pulse.exception()) is not None:
            self._log.error("room.stopped", exc_info=error)

    def _tick(self, tick: Tick) -> None:
        here = {
            key: leg
            for key, leg in self._legs.items()
            if leg.state == "connected" and key not in self._away
        }
        self._running = self._running or bool(here)
        if self._running:
            for frame in self._audio.tick(here, tick):
                self._frames.put(frame)
        if tick.index % _SUPERVISE_EVERY_TICKS == 0:
            self._supervise(self._clock.now())

    def _supervise(self, now_seconds: float) -> None:
        for leg in list(self._legs.values()):
            leg.supervise(now_seconds)
        for participant_id, liveness in list(self._liveness.items()):
            verdict = liveness.judge(now_seconds)
            leg_now = self._legs.get(participant_id)
            if verdict == "lost":
                self._close_soon(self._legs.pop(participant_id, None))
                self._gone(participant_id, "stayed_away")
            elif verdict != "alive" and leg_now is not None:
                leg_now.ask()
            if verdict == "away" and participant_id not in self._away:
                self._away.add(participant_id)
                self._events.put(LegInterrupted(participant_id, liveness.silent_seconds))

    def _back(self, leg: Leg) -> None:
        """Something comes from the participant again, on the same connection."""
        participant_id = leg.participant_id
        if (
            participant_id in self._away
            and self._legs.get(participant_id) is leg
            and leg.state == "connected"
        ):
            self._away.discard(participant_id)
            self._events.put(LegConnected(participant_id))

    def _gone(self, participant_id: UUID, cause: GoneCause) -> None:
        self._liveness.pop(participant_id, None)
        self._away.discard(participant_id)
        self._audio.forget(participant_id)
        self._events.put(LegGone(participant_id, cause))

    def _clear_legs(self) -> None:
        for leg in self._legs.values():
            leg.clear()

    def _digits_pressed(self, leg: Leg, digits: str) -> None:
        if self._legs.get(leg.participant_id) is leg:
            self._events.put(LegPressed(leg.participant_id, digits))

    def _leg_changed(self, leg: Leg) -> None:
        participant_id = leg.participant_id
        if self._legs.get(participant_id) is not leg:
            return
        if leg.state == "connected":
            self._liveness[participant_id] = leg.liveness
            leg.liveness.on_return = partial(self._back, leg)
            self._away.discard(participant_id)
            self._events.put(LegConnected(participant_id))
            return
        del self._legs[participant_id]
        self._close_soon(leg)
        if leg.has_connected:
            self._gone(participant_id, leg.gone_because or "connection_lost")
        else:
            self._log.warning("leg.never_connected", participant_id=str(participant_id))

    def _close_soon(self, leg: Leg | None) -> asyncio.Task[None] | None:
        if leg is None:
            return None
        task = asyncio.create_task(leg.close(), name=f"close-leg-{leg.participant_id}")
        self._closing.add(task)
        task.add_done_callback(self._leg_closed)
        return task

    def _leg_closed(self, task: asyncio.Task[None]) -> None:
        self._closing.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._log.error("leg.close_failed", exc_info=error)
