"""One phone leg in the bridge: between the carrier's media websocket and the worker's.

Sound is passed on as it comes: nothing is decoded here. Whatever ends the leg, it ends at the
carrier, too, and the other side is told.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis
from websockets.exceptions import ConnectionClosed

from carriers.api import CarrierApi, CarrierProblem, DtmfWay
from carriers.dialect import (
    Audio,
    AudioFormat,
    Dtmf,
    Incoming,
    Marker,
    MarkerPlayed,
    MediaStream,
    Started,
    Stopped,
    StopReason,
)
from carriers.dialect import Flush as CarrierFlush
from carriers.dtmf_tones import dtmf_sound
from contracts.phone_media import (
    FRAME_MS,
    DtmfReceived,
    Flush,
    FrameHeader,
    FramePlayed,
    FromWorker,
    HangUp,
    LegClosed,
    LegFormat,
    LegOpened,
    SendDtmf,
    read_frame,
)
from telemetry.metrics import PHONE_FRAMES_DROPPED
from telephony_bridge.media.carrier_socket import CarrierSocket, SocketClosed
from telephony_bridge.media.framing import Framing
from telephony_bridge.media.pacing import Pacing
from telephony_bridge.media.sentences import Sentence, sentence_frames
from telephony_bridge.media.worker_line import LegTaken, NoWorker, WorkerLine, open_line
from telephony_bridge.tickets import LegTicket

FIRST_WORKER_SECONDS = 10.0
"""How long a caller whose call was just admitted waits for a worker to take it."""
WORKER_BACK_SECONDS = 2.0
"""How long a worker whose websocket broke has to take the leg again. Then it is taken for dead."""
HANG_UP_TRIES = 3
HANG_UP_PAUSE_SECONDS = 0.5

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class CarrierLeg:
    """The carrier's side of one leg, after ``Started``.

    Args:
        early: what the carrier has sent beside ``Started``.
    """

    socket: CarrierSocket
    stream: MediaStream
    started: Started
    early: Sequence[Incoming]
    api: CarrierApi
    dtmf: DtmfWay


class PhoneRelay:
    """``run`` returns once the leg is over on both sides."""

    def __init__(
        self,
        ticket: LegTicket,
        carrier: CarrierLeg,
        redis: Redis,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.ticket = ticket
        self._carrier = carrier
        self._redis = redis
        self._clock = clock
        self._stop = asyncio.Event()
        self._pacing = Pacing()
        self._line: WorkerLine | None = None
        self._has_lost_worker = False
        """Whether the worker is gone without having hung up."""
        self._framing: Framing | None = None
        self._tones: deque[bytes] = deque()
        self._log = log.bind(call_id=str(ticket.call_id), carrier=ticket.carrier)

    def hang_up(self) -> None:
        """End the leg, at whatever stage it is."""
        self._stop.set()

    async def run(self) -> None:
        try:
            opened = self._opened()
        except ValidationError as error:
            self._log.error("leg_format_unknown", error=str(error))
            await self._end_at_carrier()
            return
        try:
            await self._relay(opened)
        except Exception:
            log.exception("leg_failed", call_id=str(self.ticket.call_id))
            await self._end_at_carrier()
        finally:
            PHONE_FRAMES_DROPPED.inc(self._pacing.dropped_frames)
            if self._line is not None:
                await self._line.close()
            await self._carrier.socket.close()

    async def _relay(self, opened: LegOpened) -> None:
        from_carrier = asyncio.create_task(self._from_carrier(opened), name="from-carrier")
        from_worker = asyncio.create_task(self._from_worker(opened), name="from-worker")
        stopping = asyncio.create_task(self._stop.wait(), name="relay-stop")
        tasks = (from_carrier, from_worker, stopping)
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if from_carrier.done():
                reason = from_carrier.result()
                cause = "hung_up" if reason is StopReason.STOPPED else "lost"
                self._log.info("leg_ended_by_carrier", reason=reason.value)
                await self._tell_worker(LegClosed(cause=cause, detail=reason.value))
                # A stream may stop while its call goes on.
                await self._end_at_carrier()
            elif stopping.done():
                await self._tell_worker(LegClosed(cause="hung_up"))
                if self._has_lost_worker:
                    # The control plane has noticed it, too, and has ended the call.
                    await self._say(Sentence.FAULT, opened)
                await self._end_at_carrier()
            else:
                await self._after_worker(from_worker.result(), opened)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _after_worker(self, said: HangUp | Sentence | None, opened: LegOpened) -> None:
        """The worker is done with the leg: it said so, or a sentence has to say why."""
        if said is None:
            return  # Another websocket carries the leg, which goes on.
        if isinstance(said, Sentence):
            await self._say(said, opened)
        self._log.info("leg_ended_by_us", said=said.value if isinstance(said, Sentence) else None)
        await self._end_at_carrier()

    # -- from the carrier ----------------------------------------------------------------------

    async def _from_carrier(self, opened: LegOpened) -> StopReason:
        self._framing = Framing(opened.from_person)
        reason = await self._pass_on(self._carrier.early)
        while reason is None:
            try:
                message = await self._carrier.socket.receive()
            except SocketClosed:
                events = self._carrier.stream.closed()
                return await self._pass_on(events) or StopReason.CLOSED
            reason = await self._pass_on(self._carrier.stream.receive(message))
        return reason

    async def _pass_on(self, events: Sequence[Incoming]) -> StopReason | None:
        for event in events:
            match event:
                case Audio(payload=payload):
                    assert self._framing is not None
                    for frame in self._framing.frames(payload):
                        await self._tell_worker(frame)
                case Dtmf(digit=digit):
                    await self._tell_worker(DtmfReceived(digits=digit))
                case MarkerPlayed(name=name):
                    await self._tell_worker(FramePlayed(sequence=int(name)))
                case Stopped(reason=reason):
                    return reason
        return None

    async def _tell_worker(self, message: bytes | DtmfReceived | FramePlayed | LegClosed) -> None:
        """What comes while no worker has the leg is heard by nobody."""
        if self._line is not None:
            with suppress(ConnectionClosed):
                await self._line.send(message)

    # -- from the worker -----------------------------------------------------------------------

    async def _from_worker(self, opened: LegOpened) -> HangUp | Sentence | None:
        """Until the worker hangs up. ``None``: another websocket has the leg."""
        patience_seconds = FIRST_WORKER_SECONDS
        while True:
            try:
                self._line = await open_line(
                    self._redis, self.ticket.address, opened, patience_seconds
                )
            except NoWorker as error:
                self._log.warning("leg_has_no_worker", error=str(error))
                return Sentence.FAULT
            except LegTaken:
                self._log.warning("leg_has_another_websocket")
                return None
            self._has_lost_worker = False
            try:
                if (said := await self._obey(self._line, opened)) is not None:
                    return said
            except ConnectionClosed as closed:
                self._log.warning("worker_lost", error=str(closed))
            except SocketClosed:
                # The task that reads from the carrier finds out, too, and says why.
                await asyncio.Event().wait()
            self._line = None
            self._has_lost_worker = True
            patience_seconds = WORKER_BACK_SECONDS

    async def _obey(self, line: WorkerLine, opened: LegOpened) -> HangUp | None:
        frame_bytes = opened.to_person.frame_bytes
        while True:
            message = await line.receive()
            if isinstance(message, bytes):
                if (frame := read_frame(message, frame_bytes)) is not None:
                    await self._play(*frame)
            elif isinstance(message, HangUp):
                return message
            else:
                await self._carry_out(message)

    async def _carry_out(self, message: FromWorker) -> None:
        match message:
            case Flush():
                self._pacing.flushed(self._clock())
                for each in self._carrier.stream.send(CarrierFlush()):
                    await self._carrier.socket.send(each)
            case SendDtmf(digits=digits) if self._carrier.dtmf is DtmfWay.TONES:
                outgoing = self._carrier.started.outgoing
                sound, size = dtmf_sound(digits, outgoing), outgoing.frame_bytes
                self._tones.extend(sound[at : at + size] for at in range(0, len(sound), size))
            case SendDtmf(digits=digits):
                try:
                    await self._carrier.api.send_dtmf(self.ticket.carrier_call_id, digits)
                except CarrierProblem as problem:
                    self._log.warning("dtmf_not_sent", error=problem.message)

    async def _play(self, header: FrameHeader, samples: bytes) -> None:
        """While keys are being sent as sound, that takes the place of what the worker sends."""
        if self._tones:
            samples = self._tones.popleft()
        if self._pacing.may_send(FRAME_MS, self._clock()):
            for each in self._carrier.stream.send(Audio(samples)):
                await self._carrier.socket.send(each)
        if header.is_marked:
            for each in self._carrier.stream.send(Marker(str(header.sequence))):
                await self._carrier.socket.send(each)

    # -- the end -------------------------------------------------------------------------------

    async def _say(self, sentence: Sentence, opened: LegOpened) -> None:
        """In real time, so that nothing of it is lost when the line is closed."""
        frames = sentence_frames(sentence, opened.to_person)
        begun_at = self._clock()
        self._pacing.flushed(begun_at)
        with suppress(SocketClosed):
            for number, frame in enumerate(frames):
                wait_seconds = begun_at + number * FRAME_MS / 1000 - self._clock()
                if wait_seconds > 0:
                    await asyncio.sleep(wait_seconds)
                for each in self._carrier.stream.send(Audio(frame)):
                    await self._carrier.socket.send(each)
            await asyncio.sleep(FRAME_MS / 1000)

    async def _end_at_carrier(self) -> None:
        """No leg may stay open there. One that is over already is no problem."""
        for attempt in range(HANG_UP_TRIES):
            if attempt:
                await asyncio.sleep(HANG_UP_PAUSE_SECONDS)
            try:
                await self._carrier.api.hang_up(self.ticket.carrier_call_id)
            except CarrierProblem as problem:
                self._log.warning("carrier_did_not_hang_up", error=problem.message)
            else:
                return

    def _opened(self) -> LegOpened:
        return LegOpened(
            from_person=_leg_format(self._carrier.started.incoming),
            to_person=_leg_format(self._carrier.started.outgoing),
            direction=self.ticket.direction,
            carrier=self.ticket.carrier,
            from_number=self.ticket.from_number,
            to_number=self.ticket.to_number,
        )


def _leg_format(carrier_format: AudioFormat) -> LegFormat:
    return LegFormat.model_validate(
        {"encoding": carrier_format.encoding.value, "sample_hz": carrier_format.sample_rate}
    )
