"""One phone in a room: frames of a carrier's codec in both directions, through the bridge."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from contracts.phone_media import (
    FRAME_MS,
    DtmfReceived,
    Flush,
    FrameHeader,
    FramePlayed,
    FromBridge,
    HangUp,
    LegAddress,
    LegClosed,
    LegOpened,
    SendDtmf,
    read_frame,
    write_frame,
)
from runtime.media.audio.incoming_audio import IncomingAudio
from runtime.media.audio.telephone_codec import TelephoneDecoder, TelephoneEncoder
from runtime.media.leg import Leg, LegState, LineInterrupted
from runtime.media.liveness import Liveness
from runtime.media.phones.carrier_delay import CarrierDelay
from runtime.media.phones.echo import EchoSuppressor
from runtime.media.phones.line import OutgoingLine
from runtime.media.room import GoneCause, Samples
from runtime.media.room_clock import Clock, MonotonicClock

PHONE_LOST_AFTER_SECONDS = 12.0
"""A bridge that has died takes its carrier's connection with it, so nobody needs longer to come
back. A bridge that lives opens the leg again within seconds."""
MARK_EVERY_FRAMES = 10
"""Of five frames a second the carrier tells when it has played them."""


def _nobody_listens(*_: object) -> None:
    return


class PhoneLeg:
    """Implements ``runtime.media.leg.Leg`` over one websocket of the bridge.

    The websocket's task calls ``received`` and ``heard``, and sends what ``line`` holds. ``closed``
    is called once it has closed, for whatever reason.
    """

    def __init__(
        self,
        address: LegAddress,
        opened: LegOpened,
        answers_ping: Callable[[], Awaitable[bool]],
        clock: Clock | None = None,
    ) -> None:
        """
        Args:
            answers_ping: asks the bridge for a sign of life.
            clock: the room's.
        """
        self.address = address
        self.opened = opened
        self.participant_id = address.participant_id
        self.state: LegState = "connected"
        self.has_connected = True
        self.gone_because: GoneCause | None = None
        self.line = OutgoingLine()
        self.is_attached = True
        """Whether the bridge's websocket is open."""
        self.on_change: Callable[[Leg], None] = _nobody_listens
        self.on_digits: Callable[[Leg, str], None] = _nobody_listens
        self._clock = clock or MonotonicClock()
        self.liveness = Liveness(self._clock.now(), PHONE_LOST_AFTER_SECONDS)
        self._answers_ping = answers_ping
        self._question: asyncio.Task[None] | None = None
        self._frame_bytes = opened.from_person.frame_bytes
        if opened.from_person.sample_hz == opened.to_person.sample_hz:
            echo = EchoSuppressor(opened.to_person.sample_hz)
            decoder = TelephoneDecoder(opened.from_person, echo.received)
            self._encoder = TelephoneEncoder(opened.to_person, echo.sent)
        else:
            decoder = TelephoneDecoder(opened.from_person)
            self._encoder = TelephoneEncoder(opened.to_person)
        self._incoming = IncomingAudio(decoder)
        self._sequence = 0
        self._delay = CarrierDelay()

    @property
    def sample_hz(self) -> int:
        return self.opened.from_person.sample_hz

    # -- the room's side -----------------------------------------------------------------------

    def read(self) -> Samples:
        return self._incoming.read()

    def write(self, samples: Samples, sample: int) -> None:
        if not self.is_attached:
            return
        is_marked = self._sequence % MARK_EVERY_FRAMES == 0
        header = FrameHeader(self._sequence, self._sequence * FRAME_MS, is_marked)
        if is_marked:
            self._delay.sent(self._sequence % 0x10000, self._clock.now())
        self._sequence += 1
        self.line.send_frame(write_frame(header, self._encoder.encode(samples)))

    @property
    def unheard_frames(self) -> int:
        return int(self._delay.seconds(self._clock.now()) * 1000 / FRAME_MS)

    def clear(self) -> None:
        self._delay.flushed()
        self.line.send(Flush())

    def send_digits(self, digits: str) -> None:
        if not self.is_attached:
            raise LineInterrupted
        self.line.send(SendDtmf(digits=digits))

    def tell(self, text: str) -> None:
        """A phone shows nothing."""

    def supervise(self, now_seconds: float) -> None:
        """Nothing to do: the websocket's task notices when it closes."""

    def ask(self) -> None:
        if self.is_attached and (self._question is None or self._question.done()):
            self._question = asyncio.create_task(self._ask(), name="phone-leg-liveness")

    async def close(self) -> None:
        if self.gone_because is None:
            self.line.send(HangUp())
        self._gone("left")
        self.line.close()
        if self._question is not None:
            self._question.cancel()
            await asyncio.wait([self._question])

    # -- the bridge's side ---------------------------------------------------------------------

    def heard(self) -> None:
        """The bridge has shown that it lives."""
        self.liveness.heard(self._clock.now())

    def frame_received(self, message: bytes) -> bool:
        """``False`` if ``message`` is no frame of this leg; it is dropped."""
        frame = read_frame(message, self._frame_bytes)
        if frame is None:
            return False
        self.heard()
        header, samples = frame
        self._incoming.receive(header.sequence, samples)
        return True

    def received(self, body: FromBridge) -> None:
        self.heard()
        match body:
            case DtmfReceived(digits=digits):
                self.on_digits(self, digits)
            case FramePlayed(sequence=sequence):
                self._delay.played(sequence, self._clock.now())
            case LegClosed(cause=cause):
                self._gone("left" if cause == "hung_up" else "connection_lost")
            case LegOpened():
                pass  # A bridge says so once. A second one changes nothing.

    def closed(self) -> None:
        """The websocket is closed. Without ``LegClosed``, the participant is silent from now on."""
        self.is_attached = False
        self.line.close()

    async def _ask(self) -> None:
        if await self._answers_ping():
            self.heard()

    def _gone(self, cause: GoneCause) -> None:
        if self.gone_because is None:
            self.gone_because = cause
            self.state = "lost"
            self.on_change(self)
