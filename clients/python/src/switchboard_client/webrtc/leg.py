"""One person's end of a call: Opus over RTP over DTLS, and a data channel with live messages."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import numpy as np
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import AudioFrame

from switchboard_client.errors import ConnectionFailed
from switchboard_client.webrtc.frame import Samples
from switchboard_client.webrtc.outgoing_track import OutgoingTrack, SoundSource
from switchboard_client.webrtc.whip import WhipSession

CONNECT_TIMEOUT_SECONDS = 15.0
DATA_CHANNEL_LABEL = "events"
_FIREWALL = "A firewall or a VPN may block UDP between this machine and the server."


@dataclass(frozen=True)
class ReceivedFrame:
    """A received frame: mono PCM at 48 kHz."""

    samples: Samples
    received_at: float
    """Monotonic seconds at which the decoder delivered the frame."""


class CallLeg:
    """One WebRTC connection, from the offer to the goodbye. An async context manager that leaves.

    Args:
        source: the sound to send, 20 ms at a time.
        on_message: takes each live message of the call as JSON text, which
            ``switchboard_client.live_messages.LiveMessage`` reads.
    """

    def __init__(
        self, source: SoundSource, on_message: Callable[[str | bytes], None] | None = None
    ) -> None:
        self._connection = RTCPeerConnection()
        self._whip: WhipSession | None = None
        loop = asyncio.get_running_loop()
        self._incoming: asyncio.Future[MediaStreamTrack] = loop.create_future()
        self._connected: asyncio.Future[float] = loop.create_future()
        self._connection.addTrack(OutgoingTrack(source))
        channel = self._connection.createDataChannel(DATA_CHANNEL_LABEL)
        if on_message is not None:
            channel.on("message", on_message)
        self._connection.on("track", self._track)
        self._connection.on("connectionstatechange", self._state_changed)

    async def connect(self, url: str, token: str) -> float:
        """Exchange offer and answer and wait for the media connection.

        Args:
            url, token: a participant's ``access``, from the answer that created the participant.

        Returns the monotonic time at which the connection was up.

        Raises:
            ServerUnreachable, ApiError: the signalling failed.
            ConnectionFailed: no media connection within ``CONNECT_TIMEOUT_SECONDS``.
        """
        await self._connection.setLocalDescription(await self._connection.createOffer())
        self._whip = WhipSession(url, token)
        answer = await self._whip.exchange(self._connection.localDescription.sdp)
        try:
            await self._connection.setRemoteDescription(RTCSessionDescription(answer, "answer"))
        except ValueError as error:
            raise ConnectionFailed(f"The server's answer is not usable: {error}.") from error
        if not self._incoming.done():
            raise ConnectionFailed("The server's answer offers no audio.")
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_SECONDS):
                return await self._connected
        except TimeoutError:
            raise ConnectionFailed(
                "The media connection could not be made.", advice=_FIREWALL
            ) from None

    async def listen(self) -> AsyncIterator[ReceivedFrame]:
        """The frames that the other side sends, until it stops sending."""
        track = await self._incoming
        while True:
            try:
                frame = await track.recv()
            except MediaStreamError:
                return
            received_at = time.monotonic()
            if isinstance(frame, AudioFrame):
                yield ReceivedFrame(mono(frame), received_at)

    async def leave(self) -> None:
        """Leave the call, then close the connection. Idempotent."""
        if self._whip:
            await self._whip.leave()
        await self._connection.close()
        if self._connected.done() and not self._connected.cancelled():
            # A failure that nobody waits for would be logged as one that was never retrieved.
            self._connected.exception()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.leave()

    def _track(self, track: MediaStreamTrack) -> None:
        if track.kind == "audio" and not self._incoming.done():
            self._incoming.set_result(track)

    def _state_changed(self) -> None:
        state = self._connection.connectionState
        if self._connected.done():
            return
        if state == "connected":
            self._connected.set_result(time.monotonic())
        elif state in ("failed", "closed"):
            self._connected.set_exception(
                ConnectionFailed("The media connection failed.", advice=_FIREWALL)
            )


def mono(frame: AudioFrame) -> Samples:
    """The left channel: the agent's voice is the same on both."""
    interleaved = np.asarray(frame.to_ndarray(), dtype=np.int16)
    return interleaved.reshape(-1, len(frame.layout.channels))[:, 0].copy()
