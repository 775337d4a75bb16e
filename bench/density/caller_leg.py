"""A caller's WebRTC connection that costs little: what it sends is encoded already, and what comes
is decoded without a thread.

When a packet came is asked of the kernel. So the caller's own delays, which would not exist if it
had a machine of its own, are in no gap.
"""

from __future__ import annotations

import asyncio
import fcntl
import struct
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from aiortc import RTCBundlePolicy, RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from aiortc.rtp import RtpPacket
from av import Packet
from av.stream import Stream

from bench.density.caller import Caller, gaps_ms
from bench.density.heard import Notebook
from runtime.media.audio.opus import SAMPLES_PER_FRAME, TIME_BASE, OpusDecoder
from runtime.media.network.aiortc_internals import ice_connection, tap_packets
from switchboard_client.errors import ConnectionFailed
from switchboard_client.webrtc.frame import FRAME_SECONDS
from switchboard_client.webrtc.whip import WhipSession

CONNECT_TIMEOUT_SECONDS = 15.0
SILENT_SECONDS = 4.0
_SIOCGSTAMPNS = 0x8907
"""Linux: when the last datagram that was read from a socket had come."""
_MOST_ARRIVALS = 200
"""That wait for their packet to be decrypted."""


class CallerLeg:
    """Always await ``leave``."""

    def __init__(self, caller: Caller, notebook: Notebook, url: str, token: str) -> None:
        self._caller = caller
        self._notebook = notebook
        self._whip = WhipSession(url, token)
        self._decoder = OpusDecoder()
        self._arrivals: dict[int, float] = {}
        """By RTP sequence number."""
        self._last_arrival: float | None = None
        self._heard_at = 0.0
        self._peer = RTCPeerConnection(RTCConfiguration(bundlePolicy=RTCBundlePolicy.MAX_BUNDLE))
        self._track = _CallerTrack(caller)
        self._peer.addTrack(self._track)
        self._peer.createDataChannel("events")
        self._connected = asyncio.Event()
        self._peer.on("connectionstatechange", self._state_changed)

    async def connect(self) -> None:
        """
        Raises:
            ApiError: the offer was refused.
            ConnectionFailed: there was no connection within ``CONNECT_TIMEOUT_SECONDS``.
        """
        (transceiver,) = self._peer.getTransceivers()
        tap_packets(transceiver.receiver, self._packet_received)
        await self._peer.setLocalDescription(await self._peer.createOffer())
        self._watch_sockets()
        answer = await self._whip.exchange(self._peer.localDescription.sdp)
        await self._peer.setRemoteDescription(RTCSessionDescription(answer, "answer"))
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_SECONDS):
                await self._connected.wait()
        except TimeoutError:
            raise ConnectionFailed("The media connection could not be made.") from None

    @property
    def is_lost(self) -> bool:
        """The other side has closed the connection, or sends nothing any more."""
        is_closed = self._peer.connectionState in ("failed", "closed")
        return is_closed or time.monotonic() - self._heard_at > SILENT_SECONDS

    async def leave(self) -> None:
        await self._whip.leave()
        await self._peer.close()

    def _state_changed(self) -> None:
        if self._peer.connectionState == "connected":
            self._heard_at = time.monotonic()
            self._connected.set()

    def _watch_sockets(self) -> None:
        """Note when each RTP packet came, before anybody decrypts it."""
        wall_clock_ahead = time.time() - time.monotonic()
        for protocol in ice_connection(self._peer)._protocols:
            socket = protocol.transport.get_extra_info("socket")
            protocol.__dict__["datagram_received"] = self._noting(
                socket.fileno(), wall_clock_ahead, protocol.datagram_received
            )

    def _noting(
        self,
        socket: int,
        wall_clock_ahead: float,
        receive: Callable[[bytes, tuple[Any, ...]], None],
    ) -> Callable[[bytes, tuple[Any, ...]], None]:
        def datagram_received(data: bytes, address: tuple[Any, ...]) -> None:
            if _is_rtp(data):
                seconds, nanoseconds = struct.unpack(
                    "qq", fcntl.ioctl(socket, _SIOCGSTAMPNS, bytes(16))
                )
                arrived_at = seconds + nanoseconds / 1e9 - wall_clock_ahead
                self._arrived(int.from_bytes(data[2:4]), arrived_at)
            receive(data, address)

        return datagram_received

    def _arrived(self, sequence_number: int, at: float) -> None:
        if len(self._arrivals) < _MOST_ARRIVALS:
            self._arrivals[sequence_number] = at
        if self._last_arrival is not None:
            self._notebook.page.gaps_ms += gaps_ms((self._last_arrival, at))
        self._last_arrival, self._heard_at = at, time.monotonic()

    def _packet_received(self, packet: RtpPacket) -> None:
        arrived_at = self._arrivals.pop(packet.sequence_number, None)
        samples = self._decoder.decode(packet.payload) if packet.payload else None
        if samples is not None and arrived_at is not None:
            self._caller.hear(samples, arrived_at)


class _CallerTrack(MediaStreamTrack):
    """A packet every 20 ms. The first fixes the schedule, so that delays do not add up."""

    kind = "audio"

    def __init__(self, caller: Caller) -> None:
        super().__init__()
        self._caller = caller
        self._began_at: float | None = None
        self._number = 0

    async def recv(self) -> Packet[Stream]:
        if self.readyState != "live":
            raise MediaStreamError
        now = time.monotonic()
        if self._began_at is None:
            self._began_at = now
        due_at = self._began_at + self._number * FRAME_SECONDS
        if due_at > now:
            await asyncio.sleep(due_at - now)
        packet = Packet(self._caller.next_packet(time.monotonic()))
        packet.pts, packet.time_base = self._number * SAMPLES_PER_FRAME, TIME_BASE
        self._number += 1
        return packet


def _is_rtp(data: bytes) -> bool:
    """Neither STUN nor DTLS nor RTCP (RFC 5764, section 5.1.2; RFC 5761, section 4)."""
    return len(data) > 12 and 128 <= data[0] <= 191 and not 64 <= data[1] & 0x7F <= 95


@contextmanager
def lag_noted(notebook: Notebook) -> Iterator[None]:
    """How late this process runs what is due, meanwhile."""
    task = asyncio.create_task(_note_lag(notebook), name="callers-lag")
    try:
        yield
    finally:
        task.cancel()


async def _note_lag(notebook: Notebook) -> None:
    while True:
        due_at = time.monotonic() + FRAME_SECONDS
        await asyncio.sleep(FRAME_SECONDS)
        notebook.page.callers_lag_ms.append(max(0.0, time.monotonic() - due_at) * 1000)
