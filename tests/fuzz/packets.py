"""Broken packets against a leg in a room: from the network, from a caller who is in the call, and
while a caller joins (``handshakes.py``).

What comes from the network is STUN, DTLS, SRTP and SRTCP as a peer sends them, with changes. A
caller who is in the call also has the keys: changed RTP, RTCP and SCTP pass the leg's decryption
and reach the parsers behind it.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import cycle
from random import Random
from typing import Any

import pylibsrtp
from google_crc32c import value as crc32c

from contracts.live_messages import DATA_CHANNEL_LABEL
from runtime.media.local_room import LocalRoom
from runtime.media.network.aiortc_internals import ice_connection
from tests.fuzz.handshakes import MOST_PACKETS, Handshakes
from tests.fuzz.mutation import mutated_bytes
from tests.fuzz.outcome import Outcome, no_error_unhandled
from tests.fuzz.own_time import own_ms
from tests.runtime.media.loopback_peer import LoopbackPeer
from tests.runtime.media.test_local_room import joined, loud, until

HZ, NEIGHBOUR_HZ = 440, 1_000
PACKETS_OF_A_CALL = 5_000
AT_ONCE = 32
LONGEST_MS = 1_000.0
"""For so many packets at once, on a busy machine."""
CLOSE_SECONDS = 4.0
"""Before the leg itself gives up."""
_SAMPLES_SECONDS = 0.5
_SCTP_HEADER_BYTES = 12
_CHECKSUM = slice(8, 12)


async def fuzz_packets(dice: Random, count: int) -> Outcome:
    """Send ``count`` broken packets, by turns from strangers to a caller, from callers, and to
    callers who join.

    A caller is heard after what strangers sent. After what a caller sent, the other calls of the
    process are heard, and the call can be ended.
    """
    outcome = Outcome("packets")
    async with no_error_unhandled(outcome), _room() as quiet_room, joined(quiet_room) as neighbour:
        neighbour.say(NEIGHBOUR_HZ)
        handshakes = Handshakes(dice)
        turns = cycle(("to a caller", "from a caller", "to a handshake"))
        while outcome.inputs < count and not outcome.faults:
            packets = min(PACKETS_OF_A_CALL, count - outcome.inputs)
            match next(turns):
                case "to a handshake":
                    await _disturb(handshakes, packets, outcome)
                case turn:
                    from_caller = turn == "from a caller"
                    async with _room() as room, joined(room) as peer:
                        await _attack(_Attack(dice, room, peer, from_caller), packets, outcome)
                        if not from_caller:
                            peer.say(HZ)
                            await _expect_heard(room, HZ, "the caller", outcome)
            await _expect_heard(quiet_room, NEIGHBOUR_HZ, "another call's caller", outcome)
            # It keeps all that it hears: 6 MB a minute.
            neighbour.heard.clear()
            neighbour.packets.clear()
            outcome.note_memory(outcome.inputs / count)
    if outcome.longest_ms > LONGEST_MS:
        outcome.faults.append(f"{AT_ONCE} packets took {outcome.longest_ms:.0f} ms")
    outcome.close()
    return outcome


@asynccontextmanager
async def _room() -> AsyncIterator[LocalRoom]:
    room = LocalRoom("fuzz")
    try:
        yield room
    finally:
        async with asyncio.timeout(CLOSE_SECONDS):
            await room.aclose()


async def _disturb(handshakes: Handshakes, packets: int, outcome: Outcome) -> None:
    ends_at = outcome.inputs + packets
    while outcome.inputs < ends_at and not outcome.faults:
        async with _room() as room:
            most = min(MOST_PACKETS, ends_at - outcome.inputs)
            await handshakes.disturb_one(room, most, outcome)


async def _attack(attack: _Attack, packets: int, outcome: Outcome) -> None:
    await attack.collect_samples()
    for number in range(packets):
        try:
            await attack.send_one()
        except ConnectionError:
            # Only a caller's own packets may end a call.
            assert attack.from_caller
            break
        outcome.inputs += 1
        if number % AT_ONCE == 0:
            outcome.longest_ms = max(outcome.longest_ms, await attack.until_taken())
    await attack.until_taken()
    outcome.taken += attack.encrypted


async def _expect_heard(room: LocalRoom, hz: int, who: str, outcome: Outcome) -> None:
    try:
        await loud(room, hz)
    except TimeoutError:
        outcome.faults.append(f"{who} is not heard after {outcome.inputs} packets")


class _Attack:
    """Puts packets into a leg as if they had come over the network from its peer."""

    def __init__(
        self, dice: Random, room: LocalRoom, peer: LoopbackPeer, from_caller: bool
    ) -> None:
        self._dice = dice
        self.from_caller = from_caller
        (leg,) = room._legs.values()
        self._leg_connection = ice_connection(leg._peer)
        (pair,) = self._leg_connection._nominated.values()
        self._protocol, self._peer_address = pair.protocol, pair.remote_addr
        (transceiver,) = peer.connection.getTransceivers()
        self._dtls = transceiver.sender.transport
        self._peer = peer
        self._samples: defaultdict[str, list[bytes]] = defaultdict(list)
        self.encrypted = 0
        """Packets that the leg could decrypt."""

    async def collect_samples(self) -> None:
        """Look at what the peer sends by itself, and what it sends on its data channel."""
        connection = ice_connection(self._peer.connection)
        send, protect, protect_rtcp = (
            connection.send,
            self._dtls._tx_srtp.protect,
            self._dtls._tx_srtp.protect_rtcp,
        )
        send_data = self._dtls._send_data

        async def noted_send(data: bytes) -> None:
            self._samples["datagram"].append(data)
            await send(data)

        async def noted_send_data(data: bytes) -> None:
            self._samples["sctp"].append(data)
            await send_data(data)

        async def noted_send_rtp(data: bytes) -> None:
            is_rtcp = 192 <= data[1] <= 223
            self._samples["rtcp" if is_rtcp else "rtp"].append(data)
            await send(protect_rtcp(data) if is_rtcp else protect(data))

        (pair,) = self._leg_connection._nominated.values()
        request = self._leg_connection.build_request(pair, nominate=False)
        request.add_message_integrity(str(self._leg_connection.remote_password).encode())
        self._samples["datagram"].append(bytes(request))
        connection.send = noted_send
        self._dtls._send_data = noted_send_data
        self._dtls._send_rtp = noted_send_rtp
        channel = self._peer.connection.createDataChannel(DATA_CHANNEL_LABEL)
        await until(lambda: channel.readyState == "open")
        channel.send("x" * 3_000)
        await asyncio.sleep(_SAMPLES_SECONDS)
        await until(lambda: self._samples["rtcp"], 10)
        delattr(connection, "send")
        delattr(self._dtls, "_send_data")
        delattr(self._dtls, "_send_rtp")

    async def send_one(self) -> None:
        kind = self._dice.choice(list(self._samples)) if self.from_caller else "datagram"
        sample = self._dice.choice(self._samples[kind])
        match kind:
            case "datagram":
                self._deliver(mutated_bytes(self._dice, sample))
            case "sctp":
                await self._send_sctp(sample)
            case _:
                self._send_srtp(mutated_bytes(self._dice, sample), is_rtcp=kind == "rtcp")

    async def until_taken(self) -> float:
        """Wait until the leg has read every packet; returns for how many milliseconds it worked
        without a pause."""
        began_at_ms = own_ms()
        await asyncio.sleep(0)
        took_ms = own_ms() - began_at_ms
        queue: Any = self._leg_connection._queue
        await until(lambda: queue.empty())
        return took_ms

    def _send_srtp(self, packet: bytes, *, is_rtcp: bool) -> None:
        session = self._dtls._tx_srtp
        try:
            self._deliver(session.protect_rtcp(packet) if is_rtcp else session.protect(packet))
        except (pylibsrtp.Error, ValueError):
            return  # The sender's own library refuses it.
        self.encrypted += 1

    async def _send_sctp(self, sample: bytes) -> None:
        """Mostly with the association's tag, always with the right checksum."""
        keep = 0 if self._dice.random() < 0.1 else _SCTP_HEADER_BYTES
        packet = bytearray(mutated_bytes(self._dice, sample, keep=keep))
        if len(packet) >= _SCTP_HEADER_BYTES:
            packet[_CHECKSUM] = bytes(4)
            packet[_CHECKSUM] = crc32c(bytes(packet)).to_bytes(4, "little")
        if not packet:
            return
        await self._dtls._send_data(bytes(packet))
        self.encrypted += 1

    def _deliver(self, datagram: bytes) -> None:
        self._protocol.datagram_received(datagram, self._peer_address)
