"""Broken packets before a call: until ICE has nominated a pair, and during the DTLS handshake.

Strangers keep nobody out. What comes from the caller's own address, because the caller breaks the
own handshake or because somebody stands on the path, may cost that caller the connection: then the
leg fails and leaves nothing behind.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from random import Random
from typing import Any

from aiortc import InvalidStateError

from runtime.media.local_room import LocalRoom
from runtime.media.network.aiortc_guards import guard_sending
from runtime.media.network.aiortc_internals import ice_connection
from runtime.media.network.packet_form import is_stun
from runtime.media.webrtc_leg import WebRtcLeg
from tests.fuzz.mutation import mutated_bytes
from tests.fuzz.outcome import Outcome
from tests.fuzz.own_time import own_ms
from tests.runtime.media.loopback_peer import LoopbackPeer
from tests.runtime.media.network.test_hostile_packets import PATTERNS
from tests.runtime.media.test_local_room import until

Address = tuple[Any, ...]
Receive = Callable[[bytes, Address], None]

_CONNECT = "_RTCPeerConnection__connect"
EARLY_PACKETS = 300
"""Before the caller knows the answer, so that no pair can be nominated."""
COPIES = 120
"""Broken ones of each datagram of the handshake."""
COPIES_OF_STUN = 20
MOST_PACKETS = 1_500
CONNECT_SECONDS = 5.0
"""For a caller whom strangers disturb."""
PATIENCE_SECONDS = 1.0
"""For a handshake that was broken: it may wait for what never comes."""
_STEP_SECONDS = 0.005
_DISCARD_PORT = 9
_KEPT_SAMPLES = 200


class Handshakes:
    """Keeps what it has seen of earlier handshakes: it is sent again, too early, in later ones."""

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self._seen = deque(PATTERNS.values(), maxlen=_KEPT_SAMPLES)

    async def disturb_one(self, room: LocalRoom, most_packets: int, outcome: Outcome) -> None:
        """Let a caller join ``room``, and disturb it by at most ``most_packets``."""
        dice = self._dice
        peer = LoopbackPeer()
        try:
            sdp = await peer.offer()
            guard_sending(peer.connection)
            _expect_end_of(peer)
            if dice.random() < 0.5:
                # The leg is the server of the handshake, and reads the first message of it.
                sdp = sdp.replace("a=setup:actpass", "a=setup:active")
            answer = await room.answer_offer(peer.participant, sdp)
            (leg,) = room._legs.values()
            assert isinstance(leg, WebRtcLeg)
            own = [(each.host, each.port) for each in _candidates(peer)]
            from_caller = dice.random() < 0.5
            senders = own if from_caller else [(host, _DISCARD_PORT) for host, _ in own]
            # A stranger sees no packet of this handshake, and so no transaction id of its STUN.
            known = None if from_caller else list(self._seen)
            disturbance = _Disturbance(dice, self._seen, senders, most_packets, known)
            with disturbance.of(leg):
                disturbance.send_early()
                await peer.accept(answer)
                seconds = PATIENCE_SECONDS if from_caller else CONNECT_SECONDS
                await _until_decided(leg, seconds, outcome)
            # One that is closed while it connects leaves tasks of aiortc behind.
            with suppress(TimeoutError):
                await until(lambda: peer.connection.connectionState != "connecting", 1.0)
            outcome.inputs += disturbance.sent
            outcome.taken += leg.has_connected
            if not from_caller and not leg.has_connected:
                outcome.faults.append("strangers kept a caller out")
        finally:
            await peer.close()


def _expect_end_of(peer: LoopbackPeer) -> None:
    """Closed during its handshake, it goes on with a closed transport in a task of aiortc. Only
    what the leg leaves behind is judged."""
    connect = getattr(peer.connection, _CONNECT)

    async def connected() -> None:
        with suppress(InvalidStateError):
            await connect()

    setattr(peer.connection, _CONNECT, connected)


class _Disturbance:
    """Puts broken packets into a leg between those that its peer sends."""

    def __init__(
        self,
        dice: Random,
        seen: deque[bytes],
        senders: list[Address],
        most_packets: int,
        known: list[bytes] | None,
    ) -> None:
        """
        Args:
            known: what is changed and sent; ``None``: what is seen at that moment.
        """
        self._dice = dice
        self._seen = seen
        self._senders = senders
        self._left = most_packets
        self._known = known
        self._receivers: list[Receive] = []
        self.sent = 0

    @contextmanager
    def of(self, leg: WebRtcLeg) -> Iterator[None]:
        protocols = list(ice_connection(leg._peer)._protocols)
        self._receivers = [protocol.datagram_received for protocol in protocols]
        for protocol, receive in zip(protocols, self._receivers, strict=True):
            protocol.datagram_received = self._between(receive)
        try:
            yield
        finally:
            for protocol, receive in zip(protocols, self._receivers, strict=True):
                protocol.datagram_received = receive

    def send_early(self) -> None:
        for _ in range(EARLY_PACKETS):
            self._send_broken(self._dice.choice(self._receivers), self._dice.choice(self._seen))

    def _between(self, receive: Receive) -> Receive:
        def received(datagram: bytes, address: Address) -> None:
            self._seen.append(datagram)
            copies = COPIES_OF_STUN if is_stun(datagram) else COPIES
            before = self._dice.randint(0, copies)
            for _ in range(before):
                self._send_broken(receive, self._sample(datagram))
            receive(datagram, address)
            for _ in range(copies - before):
                self._send_broken(receive, self._sample(datagram))

        return received

    def _sample(self, datagram: bytes) -> bytes:
        return datagram if self._known is None else self._dice.choice(self._known)

    def _send_broken(self, receive: Receive, sample: bytes) -> None:
        broken = mutated_bytes(self._dice, sample)
        # Who sends a whole copy of a signed request has seen it: that is no stranger.
        if self._left == 0 or broken == sample:
            return
        self._left -= 1
        self.sent += 1
        receive(broken, self._dice.choice(self._senders))


def _candidates(peer: LoopbackPeer) -> list[Any]:
    return list(ice_connection(peer.connection).local_candidates)


async def _until_decided(leg: WebRtcLeg, within_seconds: float, outcome: Outcome) -> None:
    """Until it is connected or lost, or the time is over. Notes how long the loop stood still."""
    ends_at = time.perf_counter() + within_seconds
    while leg.state == "connecting" and time.perf_counter() < ends_at:
        began_at_ms = own_ms()
        await asyncio.sleep(_STEP_SECONDS)
        late_ms = own_ms() - began_at_ms - _STEP_SECONDS * 1000
        outcome.longest_ms = max(outcome.longest_ms, late_ms)
