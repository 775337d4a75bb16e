"""One WebRTC connection of a participant: Opus over RTP over DTLS, and a data channel."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from aiortc import (
    RTCConfiguration,
    RTCIceServer,
    RTCIceTransportPolicy,
    RTCPeerConnection,
    RTCSessionDescription,
)
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import AudioFrame

from switchboard_client.errors import ConnectionFailed
from switchboard_client.webrtc.aiortc_internals import has_said_goodbye, protect_transport
from switchboard_client.webrtc.frame import Samples
from switchboard_client.webrtc.outgoing_track import OutgoingTrack, SoundSource
from switchboard_client.webrtc.whip import IceServer, WhipSession

DATA_CHANNEL_LABEL = "events"
_FIREWALL = "A firewall or a VPN may block UDP between this machine and the server."


@dataclass(frozen=True)
class ReceivedFrame:
    """A received frame: mono PCM at 48 kHz."""

    samples: Samples
    received_at: float
    """Monotonic seconds at which the decoder delivered the frame."""


class MediaConnection:
    """Offered once. Always await ``close``.

    Args:
        on_frame: takes each frame that the other side sends.
        on_message: takes each text of the data channel.
        relay_only: use no path but the one through a TURN server.
    """

    def __init__(
        self,
        source: SoundSource,
        ice_servers: Sequence[IceServer],
        on_frame: Callable[[ReceivedFrame], None],
        on_message: Callable[[str | bytes], None] | None,
        *,
        relay_only: bool = False,
    ) -> None:
        self.heard_at = 0.0
        """When the last frame came, in monotonic seconds."""
        self._is_over = False
        self._on_frame = on_frame
        self._peer = RTCPeerConnection(
            RTCConfiguration(
                iceServers=[
                    RTCIceServer(list(each.urls), each.username, each.credential)
                    for each in ice_servers
                ],
                iceTransportPolicy=(
                    RTCIceTransportPolicy.RELAY if relay_only else RTCIceTransportPolicy.ALL
                ),
            )
        )
        self._connected: asyncio.Future[float] = asyncio.get_running_loop().create_future()
        self._connected.add_done_callback(_looked_at)
        self._receiving: asyncio.Task[None] | None = None
        self._closing: asyncio.Task[None] | None = None
        self._voice = OutgoingTrack(source)
        self._peer.addTrack(self._voice)
        channel = self._peer.createDataChannel(DATA_CHANNEL_LABEL)
        if on_message is not None:
            channel.on("message", on_message)
        self._peer.on("track", self._track)
        self._peer.on("connectionstatechange", self._state_changed)

    async def open(self, whip: WhipSession, timeout_seconds: float) -> float:
        """Exchange offer and answer and wait for the media.

        Returns the monotonic time at which the connection was up.

        Raises:
            ServerUnreachable, ApiError, UnexpectedAnswer: the signalling failed.
            ConnectionFailed: no media connection within ``timeout_seconds`` of the answer.
        """
        await self._peer.setLocalDescription(await self._peer.createOffer())
        protect_transport(self._peer)
        answer = await whip.exchange(self._peer.localDescription.sdp)
        try:
            await self._peer.setRemoteDescription(RTCSessionDescription(answer, "answer"))
        except ValueError as error:
            raise ConnectionFailed(f"The server's answer is not usable: {error}.") from error
        if self._receiving is None:
            raise ConnectionFailed("The server's answer offers no audio.")
        try:
            async with asyncio.timeout(timeout_seconds):
                return await self._connected
        except TimeoutError:
            raise ConnectionFailed(
                "The media connection could not be made.", advice=_FIREWALL
            ) from None

    @property
    def was_closed(self) -> bool:
        """The other side has closed the connection."""
        return self._is_over and has_said_goodbye(self._peer)

    @property
    def has_failed(self) -> bool:
        """This machine's end is broken: its interface is gone, for example."""
        return self._is_over and not self.was_closed

    def stop_sending(self) -> None:
        """Take no more sound from the source: another connection takes it from now on."""
        self._voice.stop()

    async def close(self) -> None:
        """Idempotent. It goes on if it is cancelled, because aiortc cannot close what it has half
        closed."""
        if self._receiving is not None:
            self._receiving.cancel()
        if self._closing is None:
            self._closing = asyncio.create_task(self._peer.close(), name="close-connection")
        await asyncio.shield(self._closing)

    def _track(self, track: MediaStreamTrack) -> None:
        if track.kind == "audio" and self._receiving is None:
            self._receiving = asyncio.create_task(self._receive(track), name="receive-audio")

    async def _receive(self, track: MediaStreamTrack) -> None:
        while True:
            try:
                frame = await track.recv()
            except MediaStreamError:
                self._is_over = True
                return
            self.heard_at = time.monotonic()
            if isinstance(frame, AudioFrame):
                self._on_frame(ReceivedFrame(mono(frame), self.heard_at))

    def _state_changed(self) -> None:
        state = self._peer.connectionState
        if self._connected.done():
            return
        if state == "connected":
            self.heard_at = time.monotonic()
            self._connected.set_result(self.heard_at)
        elif state in ("failed", "closed"):
            self._connected.set_exception(
                ConnectionFailed("The media connection failed.", advice=_FIREWALL)
            )


def _looked_at(connected: asyncio.Future[float]) -> None:
    """A failure that nobody waits for any more would be logged as one that was never retrieved."""
    if not connected.cancelled():
        connected.exception()


def mono(frame: AudioFrame) -> Samples:
    """The left channel: the agent's voice is the same on both."""
    interleaved = np.asarray(frame.to_ndarray(), dtype=np.int16)
    return interleaved.reshape(-1, len(frame.layout.channels))[:, 0].copy()
