"""A leg that is the participant of a room on a LiveKit server: the seam's proof, and no more.

Each participant has a LiveKit room of its own, and is joined there by us. People of one LiveKit
room would hear each other twice: from its server, and in our mix.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from uuid import UUID

import numpy as np
from livekit import rtc

from runtime.media.audio.opus import SAMPLE_HZ, SAMPLES_PER_FRAME
from runtime.media.leg import Leg, LegState
from runtime.media.liveness import Liveness
from runtime.media.room import FRAME_MS, GoneCause, Samples
from runtime.media.room_clock import MonotonicClock

_MOST_WAITING_FRAMES = 10
_DTMF = "0123456789*#ABCD"
_BY_CHOICE = (rtc.DisconnectReason.CLIENT_INITIATED, rtc.DisconnectReason.PARTICIPANT_REMOVED)


def _nobody_listens(*_: object) -> None:
    return


class LiveKitLeg:
    """Implements ``runtime.media.leg.Leg``.

    Args:
        room: connected by ``open``, and closed by ``close``.
        identity: of the participant.
        remove: takes the participant out of the room on the server.
    """

    def __init__(
        self,
        participant_id: UUID,
        room: rtc.Room,
        identity: str,
        remove: Callable[[], Awaitable[None]],
    ) -> None:
        self.participant_id = participant_id
        self.state: LegState = "connecting"
        self.has_connected = False
        self.gone_because: GoneCause | None = None
        self.sample_hz = SAMPLE_HZ
        self.on_change: Callable[[Leg], None] = _nobody_listens
        self.on_digits: Callable[[Leg, str], None] = _nobody_listens
        self._clock = MonotonicClock()
        self.liveness = Liveness(self._clock.now())
        self._room, self._identity, self._remove = room, identity, remove
        self._source = rtc.AudioSource(SAMPLE_HZ, 1)
        self._said: deque[Samples] = deque(maxlen=_MOST_WAITING_FRAMES)
        self._to_send: asyncio.Queue[Samples] = asyncio.Queue()
        self._tasks = [asyncio.create_task(self._send())]

    async def open(self, url: str, token: str) -> None:
        self._room.on("track_subscribed", self._subscribed)
        self._room.on("participant_disconnected", self._left)
        self._room.on("sip_dtmf_received", self._pressed)
        self._room.on("disconnected", lambda _: self._gone("connection_lost"))
        await self._room.connect(url, token)
        track = rtc.LocalAudioTrack.create_audio_track("mix", self._source)
        await self._room.local_participant.publish_track(track)

    # -- the room's side -----------------------------------------------------------------------

    @property
    def unheard_frames(self) -> int:
        return self._to_send.qsize() + int(self._source.queued_duration * 1000 / FRAME_MS)

    def read(self) -> Samples:
        return self._said.popleft() if self._said else np.zeros(SAMPLES_PER_FRAME, np.int16)

    def write(self, samples: Samples, sample: int) -> None:
        if self.state == "connected":
            self._to_send.put_nowait(samples)

    def clear(self) -> None:
        while not self._to_send.empty():
            self._to_send.get_nowait()
        self._source.clear_queue()

    def send_digits(self, digits: str) -> None:
        for digit in digits:
            sending = self._room.local_participant.publish_dtmf(
                code=_DTMF.index(digit), digit=digit
            )
            self._tasks.append(asyncio.ensure_future(sending))

    def tell(self, text: str) -> None:
        sending = self._room.local_participant.publish_data(
            text, destination_identities=[self._identity]
        )
        self._tasks.append(asyncio.ensure_future(sending))

    def supervise(self, now_seconds: float) -> None:
        """The server tells when a participant is gone."""

    def ask(self) -> None:
        """The server asks by itself. While it names the participant, the participant is there."""
        if self._identity in self._room.remote_participants:
            self.liveness.heard(self._clock.now())

    async def close(self) -> None:
        is_there = self._identity in self._room.remote_participants
        self._gone("left")
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if is_there:
            await self._remove()
        await self._room.disconnect()
        await self._source.aclose()

    # -- the server's side ---------------------------------------------------------------------

    def _subscribed(
        self,
        track: rtc.Track,
        publication: rtc.RemoteTrackPublication,
        participant: rtc.RemoteParticipant,
    ) -> None:
        if participant.identity != self._identity or self.state != "connecting":
            return
        self._tasks.append(asyncio.create_task(self._hear(track)))
        self.state, self.has_connected = "connected", True
        self.on_change(self)

    async def _hear(self, track: rtc.Track) -> None:
        stream = rtc.AudioStream(track, sample_rate=SAMPLE_HZ, frame_size_ms=FRAME_MS)
        try:
            async for event in stream:
                self.liveness.heard(self._clock.now())
                self._said.append(np.frombuffer(event.frame.data, np.int16))
        finally:
            await stream.aclose()

    async def _send(self) -> None:
        while True:
            samples = await self._to_send.get()
            frame = rtc.AudioFrame(samples.tobytes(), SAMPLE_HZ, 1, samples.size)
            await self._source.capture_frame(frame)

    def _pressed(self, dtmf: rtc.SipDTMF) -> None:
        if dtmf.participant is not None and dtmf.participant.identity == self._identity:
            self.on_digits(self, dtmf.digit)

    def _left(self, participant: rtc.RemoteParticipant) -> None:
        if participant.identity == self._identity:
            by_choice = participant.disconnect_reason in _BY_CHOICE
            self._gone("left" if by_choice else "connection_lost")

    def _gone(self, cause: GoneCause) -> None:
        if self.gone_because is None:
            self.gone_because = cause
            self.state = "lost"
            self.on_change(self)
