"""One person's WebRTC connection: encoded audio in both directions, and live messages out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from uuid import UUID

import structlog
from aiortc import (
    RTCBundlePolicy,
    RTCConfiguration,
    RTCDataChannel,
    RTCIceServer,
    RTCPeerConnection,
    RTCRtpCodecCapability,
    RTCSessionDescription,
)
from aiortc.exceptions import InternalError, InvalidAccessError, InvalidStateError, OperationError
from aiortc.rtp import RtpPacket

from contracts.live_messages import DATA_CHANNEL_LABEL
from runtime.media.audio.incoming_audio import IncomingAudio
from runtime.media.audio.opus import SAMPLE_HZ, OpusEncoder
from runtime.media.audio.outgoing_track import OutgoingTrack
from runtime.media.leg import DtmfNotPossible, Leg, LegState
from runtime.media.live_channel import LiveChannel
from runtime.media.liveness import Liveness
from runtime.media.network.aiortc_guards import (
    DropReason,
    guard_association,
    guard_packets,
    guard_sending,
)
from runtime.media.network.aiortc_internals import (
    answers_binding_request,
    gather_candidates,
    ice_connection,
    keep_reporting,
    repeat_handshake,
    tap_packets,
    wait_for_consent,
)
from runtime.media.network.media_network import MediaNetwork
from runtime.media.network.reported_loss import ReportedLoss
from runtime.media.network.sdp_answer import with_opus_parameters
from runtime.media.network.sdp_offer import AudioOffer
from runtime.media.room import BadOffer, GoneCause, Samples
from runtime.media.room_clock import Clock, MonotonicClock
from telemetry.metrics import PACKETS_DROPPED

CONNECT_TIMEOUT_SECONDS = 15.0
CLOSE_TIMEOUT_SECONDS = 2.0
ICE_CLOSE_TIMEOUT_SECONDS = 1.0
"""Of its ports alone, after that. Both together are shorter than a call waits for its room."""

_OPUS = RTCRtpCodecCapability("audio/opus", clockRate=48_000, channels=2)


def _nobody_listens(*_: object) -> None:
    return


log = structlog.get_logger(__name__)


class WebRtcLeg:
    """Answers one offer. Implements ``runtime.media.leg.Leg``.

    ``liveness`` hears each packet. ``clock`` is the room's. Always await ``close``.
    """

    def __init__(
        self,
        participant_id: UUID,
        addresses: Sequence[str],
        network: MediaNetwork,
        now_seconds: float,
        liveness: Liveness,
        clock: Clock | None = None,
    ) -> None:
        self.participant_id = participant_id
        self.liveness = liveness
        self.state: LegState = "connecting"
        self.has_connected = False
        self.gone_because: GoneCause | None = None
        self.sample_hz = SAMPLE_HZ
        self.on_change: Callable[[Leg], None] = _nobody_listens
        self.on_digits: Callable[[Leg, str], None] = _nobody_listens
        self.live_messages = LiveChannel()
        self._addresses = addresses
        self._network = network
        self._opened_at = now_seconds
        self._clock = clock or MonotonicClock()
        self._question: asyncio.Task[None] | None = None
        self._adapting: asyncio.Task[None] | None = None
        self._encoder = OpusEncoder()
        self._incoming = IncomingAudio()
        self._track = OutgoingTrack()
        self._peer = RTCPeerConnection(
            RTCConfiguration(
                iceServers=[
                    RTCIceServer(list(each.urls), each.username, each.credential)
                    for each in network.ice_servers
                ],
                bundlePolicy=RTCBundlePolicy.MAX_BUNDLE,
            )
        )
        self._loss = ReportedLoss(self._peer.addTrack(self._track))
        self._peer.on("connectionstatechange", self._connection_changed)
        self._peer.on("datachannel", self._channel_opened)

    async def answer(self, offer: AudioOffer) -> str:
        """The SDP answer, with all its candidates.

        Raises:
            BadOffer: aiortc cannot answer the offer.
            NoFreePort: see ``PortRange``.
        """
        (transceiver,) = self._peer.getTransceivers()
        transceiver.setCodecPreferences([_OPUS])
        tap_packets(transceiver.receiver, self._packet_received)
        keep_reporting(transceiver.receiver)
        try:
            await self._peer.setRemoteDescription(RTCSessionDescription(offer.sdp, "offer"))
            await gather_candidates(self._peer, self._addresses, self._network)
            guard_packets(self._peer, _count_dropped)
            guard_sending(self._peer)
            guard_association(self._peer, _count_dropped)
            repeat_handshake(self._peer)
            wait_for_consent(self._peer)
            await self._peer.setLocalDescription()
        except (
            ValueError,
            InternalError,
            InvalidAccessError,
            InvalidStateError,
            OperationError,
        ) as error:
            raise BadOffer(f"The offer cannot be answered: {error}") from error
        return offer.complete(with_opus_parameters(self._peer.localDescription.sdp))

    def read(self) -> Samples:
        """What the person says in this frame: 20 ms at 48 kHz."""
        return self._incoming.read()

    def write(self, samples: Samples, sample: int) -> None:
        """What the person hears in this frame: 20 ms at 48 kHz, at ``sample`` of room time."""
        self._track.send(self._encoder.encode(samples), sample)

    @property
    def unheard_frames(self) -> int:
        """A browser plays at once, and does not tell."""
        return 0

    def clear(self) -> None:
        """Nothing to do: each frame is sent at once, and a browser keeps none for long."""

    def send_digits(self, digits: str) -> None:
        raise DtmfNotPossible("a browser has no keypad: keys can only be sent to a phone")

    def tell(self, text: str) -> None:
        self.live_messages.send(text)

    def supervise(self, now_seconds: float) -> None:
        """Notice a peer that never connected, and the loss that the peer reports. Call it twice a
        second."""
        if self.state == "connecting" and now_seconds - self._opened_at > CONNECT_TIMEOUT_SECONDS:
            self._change("lost")
        if self.state == "connected" and (self._adapting is None or self._adapting.done()):
            self._adapting = asyncio.create_task(self._adapt(), name="leg-loss")

    def ask(self) -> None:
        """Ask the peer whether it is still there, unless a question is under way."""
        if self.state == "connected" and (self._question is None or self._question.done()):
            self._question = asyncio.create_task(self._ask(), name="leg-liveness")

    async def close(self) -> None:
        """Close the connection and free everything. Idempotent."""
        self._change("lost")
        for task in (self._question, self._adapting):
            if task is not None:
                task.cancel()
                await asyncio.wait([task])
        self._track.stop()
        # Never cancelled: aiortc does not go on with it, and its reports would run forever.
        closing = asyncio.create_task(self._peer.close(), name="leg-peer-close")
        _, late = await asyncio.wait([closing], timeout=CLOSE_TIMEOUT_SECONDS)
        if late:
            # A call ends, whatever its peer has done to this connection.
            log.error("media.leg_not_closed", participant_id=str(self.participant_id))
            closing.add_done_callback(self._closed_late)
            await self._free_ports()
        else:
            closing.result()

    def _closed_late(self, closing: asyncio.Task[None]) -> None:
        if not closing.cancelled() and (error := closing.exception()) is not None:
            identity = str(self.participant_id)
            log.error("media.leg_close_failed", participant_id=identity, exc_info=error)

    async def _free_ports(self) -> None:
        try:
            async with asyncio.timeout(ICE_CLOSE_TIMEOUT_SECONDS):
                await ice_connection(self._peer).close()
        except TimeoutError:
            log.error("media.ports_not_freed", participant_id=str(self.participant_id))

    def _connection_changed(self) -> None:
        if self._peer.connectionState == "connected":
            self.has_connected = True
            self.liveness.heard(self._clock.now())
            self._change("connected")
        elif self._peer.connectionState in ("failed", "closed"):
            self._change("lost")

    def _change(self, state: LegState) -> None:
        if self.state not in (state, "lost"):
            self.state = state
            if state == "lost":
                self.gone_because = "connection_lost"
            self.on_change(self)

    def _channel_opened(self, channel: RTCDataChannel) -> None:
        if channel.label == DATA_CHANNEL_LABEL:
            self.live_messages.opened(channel)

    def _packet_received(self, packet: RtpPacket) -> None:
        self.liveness.heard(self._clock.now())
        if packet.payload:
            self._incoming.receive(packet.sequence_number, packet.payload)

    async def _adapt(self) -> None:
        """Protect what the peer hears against as much loss as the peer reports."""
        self._encoder.expect_loss(await self._loss.read())

    async def _ask(self) -> None:
        """Send a STUN binding request. Any answer shows that the peer is still there."""
        if await answers_binding_request(self._peer):
            self.liveness.heard(self._clock.now())


def _count_dropped(reason: DropReason) -> None:
    PACKETS_DROPPED.labels(reason).inc()
