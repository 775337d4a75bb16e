"""One phone leg in the bridge: between the carrier's media websocket and the worker's.

Sound is passed on as it comes: nothing is decoded here. Whatever ends the leg, it ends at the
carrier, too, and the other side is told.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from carriers.api import CarrierApi, CarrierProblem, DtmfWay, ProblemKind
from carriers.dialect import (
    Audio,
    AudioFormat,
    Dtmf,
    Incoming,
    Marker,
    MarkerPlayed,
    MediaStream,
    Outgoing,
    Started,
    Stopped,
    StopReason,
)
from carriers.dialect import Flush as CarrierFlush
from carriers.dtmf_tones import PAUSE_MS, TONE_MS, dtmf_sound
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
from telephony_bridge.hang_up import hang_up
from telephony_bridge.media.carrier_socket import CarrierSocket, SocketClosed
from telephony_bridge.media.framing import Framing
from telephony_bridge.media.pacing import Allowance, Pacing, too_much_waits
from telephony_bridge.media.sentences import Sentence, sentence_frames
from telephony_bridge.media.worker_line import LegTaken, NoWorker, WorkerLine, open_line
from telephony_bridge.tickets import LegTicket

FIRST_WORKER_SECONDS = 10.0
"""How long a caller whose call was just admitted waits for a worker to take it."""
WORKER_BACK_SECONDS = 2.0
"""How long a worker whose websocket broke has to take the leg again. Then it is taken for dead."""
KEYS_SECONDS = 30.0
"""How long pressing the last keys may take before the line is hung up: one entry has up to 64."""
CARRIER_KEY_SECONDS = 0.4
"""A carrier that presses keys itself answers before it has. Telnyx takes a quarter of a second for
each, and some silence between them."""
MOST_SOUND_AT_ONCE_MS, SOUND_MS_PER_SECOND = 10_000, 1_100
MOST_KEYS_AT_ONCE, KEYS_PER_SECOND = 64, 20
"""What a carrier may bring. Its account may be a stranger's, who speaks for it."""
KEY_MS = TONE_MS + PAUSE_MS
KEYS_LATE_SECONDS = 1.0
"""How much later than we send them a carrier may play the keys that are sent as sound."""

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


End = StopReason | HangUp | Sentence | Literal["asked", "failed"]
"""What ends a leg: the carrier, the worker, what the caller is told, this process, or a fault."""


class PhoneRelay:
    """``run`` returns once the leg is over on both sides.

    Sound is passed on in the call that brings it: no message waits in a queue or for a task.
    """

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
        self._end: asyncio.Future[End] = asyncio.get_running_loop().create_future()
        """The first reason counts."""
        self._pacing = Pacing()
        self._line: WorkerLine | None = None
        self._has_lost_worker = False
        """Whether the worker is gone without having hung up."""
        self._framing = Framing(carrier.started.incoming.frame_bytes)
        self._frame_bytes = carrier.started.outgoing.frame_bytes
        """Of a frame of the worker."""
        self._sound = Allowance(MOST_SOUND_AT_ONCE_MS, SOUND_MS_PER_SECOND, clock())
        self._presses = Allowance(MOST_KEYS_AT_ONCE, KEYS_PER_SECOND, clock())
        self._tones: deque[bytes] = deque()
        """The sound of each key that is still to be sent."""
        self._tones_until = float("-inf")
        """When the last one that was sent is over, if it is played in real time."""
        self._keys: asyncio.Queue[str] = asyncio.Queue()
        """To be pressed by the carrier."""
        self._dtmf = carrier.dtmf
        """Tones, too, once the carrier has refused to press keys."""
        self._log = log.bind(call_id=str(ticket.call_id), carrier=ticket.carrier)

    def hang_up(self) -> None:
        """End the leg, at whatever stage it is."""
        self._ended("asked")

    async def run(self) -> None:
        try:
            opened = self._opened()
        except ValidationError as error:
            self._log.error("leg_format_unknown", error=str(error))
            await self._end_at_carrier()
            return
        try:
            await self._relay(opened)
        except LegTaken:
            # The leg goes on, with another websocket.
            self._log.warning("leg_has_another_websocket")
        except Exception:
            log.exception("leg_failed", call_id=str(self.ticket.call_id))
            await self._end_at_carrier()
        finally:
            PHONE_FRAMES_DROPPED.inc(self._pacing.dropped_frames)
            if self._line is not None:
                await self._line.close()
            await self._carrier.socket.close()

    async def _relay(self, opened: LegOpened) -> None:
        tasks = (
            asyncio.create_task(self._listen_to_carrier(), name="from-carrier"),
            asyncio.create_task(self._keep_line(opened), name="from-worker"),
            asyncio.create_task(self._press_keys(), name="press-keys"),
        )
        for task in tasks:
            task.add_done_callback(self._task_done)
        try:
            await self._finish(await self._end, opened)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)

    async def _finish(self, end: End, opened: LegOpened) -> None:
        match end:
            case StopReason():
                cause = "hung_up" if end is StopReason.STOPPED else "lost"
                self._log.info("leg_ended_by_carrier", reason=end.value)
                self._tell_worker(LegClosed(cause=cause, detail=end.value))
                # A stream may stop while its call goes on.
            case "asked":
                self._tell_worker(LegClosed(cause="hung_up"))
                if self._has_lost_worker:
                    # The control plane has noticed it, too, and has ended the call.
                    await self._say(Sentence.FAULT, opened)
            case Sentence():
                await self._say(end, opened)
                self._log.info("leg_ended_by_us", said=end.value)
            case HangUp():
                # Keys that were asked for before are pressed.
                with suppress(TimeoutError, SocketClosed):
                    async with asyncio.timeout(KEYS_SECONDS):
                        await self._keys.join()
                        while self._tones:
                            await asyncio.sleep(self._pacing.held_ms(self._clock()) / 1000)
                            self._sound_key()
                        await self._play_out(())
                self._log.info("leg_ended_by_us")
        await self._end_at_carrier()

    def _ended(self, end: End) -> None:
        if not self._end.done():
            self._end.set_result(end)

    def _task_done(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) and not self._end.done():
            self._end.set_exception(error)

    # -- from the carrier ----------------------------------------------------------------------

    async def _listen_to_carrier(self) -> None:
        self._pass_on(self._carrier.early)
        await self._carrier.socket.listen(self._carrier_said)
        self._pass_on(self._carrier.stream.closed())

    def _carrier_said(self, message: str | bytes) -> None:
        try:
            self._pass_on(self._carrier.stream.receive(message))
        except Exception:
            log.exception("leg_failed", call_id=str(self.ticket.call_id))
            self._ended("failed")

    def _pass_on(self, events: Sequence[Incoming]) -> None:
        for event in events:
            match event:
                case Audio(payload=payload):
                    for frame in self._framing.frames(payload):
                        if self._sound.takes(FRAME_MS, self._clock()):
                            self._tell_worker(frame)
                        else:
                            self._pacing.dropped_frames += 1
                case Dtmf(digit=digit) if self._presses.takes(1, self._clock()):
                    self._tell_worker(DtmfReceived(digits=digit))
                case MarkerPlayed(name=name):
                    self._tell_worker(FramePlayed(sequence=int(name)))
                case Stopped(reason=reason):
                    self._ended(reason)

    def _tell_worker(self, message: bytes | DtmfReceived | FramePlayed | LegClosed) -> None:
        """What comes while no worker has the leg is heard by nobody."""
        if self._line is None:
            return
        if isinstance(message, bytes) and too_much_waits(self._line.waiting_bytes, message):
            self._pacing.dropped_frames += 1
            return
        self._line.send(message)

    # -- from the worker -----------------------------------------------------------------------

    async def _keep_line(self, opened: LegOpened) -> None:
        """Bring the leg to its worker, and once more if the websocket breaks."""
        patience_seconds = FIRST_WORKER_SECONDS
        while True:
            try:
                self._line = await open_line(
                    self._redis, self.ticket.address, opened, self._worker_said, patience_seconds
                )
            except (NoWorker, LegTaken) as error:
                if isinstance(error, LegTaken) and not self._has_lost_worker:
                    raise
                # The other websocket of a leg that had its worker is the one that broke.
                self._log.warning("leg_has_no_worker", error=str(error))
                self._ended(Sentence.FAULT)
                return
            self._has_lost_worker = False
            how = await self._line.closed()
            if self._end.done():
                return
            self._log.warning("worker_lost", error=how)
            self._line = None
            self._has_lost_worker = True
            patience_seconds = WORKER_BACK_SECONDS

    def _worker_said(self, message: bytes | FromWorker) -> None:
        if self._end.done():
            return
        try:
            if isinstance(message, bytes):
                if (frame := read_frame(message, self._frame_bytes)) is not None:
                    self._play(*frame)
            else:
                self._obey(message)
        except SocketClosed:
            pass  # The task that listens to the carrier finds out, too, and says why.
        except Exception:
            log.exception("leg_failed", call_id=str(self.ticket.call_id))
            self._ended("failed")

    def _obey(self, message: FromWorker) -> None:
        match message:
            case HangUp():
                self._ended(message)
            case Flush() if self._clock() < self._tones_until + KEYS_LATE_SECONDS:
                # It would cut a key. Of the voice, the carrier holds 200 ms at most.
                self._log.info("flush_left_out_for_keys")
            case Flush():
                self._pacing.flushed(self._clock())
                self._send(CarrierFlush())
            case SendDtmf(digits=digits) if self._dtmf is DtmfWay.TONES:
                self._sound_keys(digits)
            case SendDtmf(digits=digits):
                self._keys.put_nowait(digits)

    async def _press_keys(self) -> None:
        """Where the carrier does so. The voice goes on meanwhile."""
        while True:
            digits = await self._keys.get()
            try:
                if self._dtmf is DtmfWay.TONES:
                    self._sound_keys(digits)
                    continue
                await self._carrier.api.send_dtmf(self.ticket.carrier_call_id, digits)
                await asyncio.sleep(len(digits) * CARRIER_KEY_SECONDS)
            except CarrierProblem as problem:
                self._log.warning("dtmf_not_sent", error=problem.message)
                # One that gave no answer may have pressed them. Later keys must not overtake these.
                if problem.kind is not ProblemKind.UNREACHABLE:
                    self._dtmf = DtmfWay.TONES
                    self._sound_keys(digits)
            finally:
                self._keys.task_done()

    def _sound_keys(self, digits: str) -> None:
        outgoing = self._carrier.started.outgoing
        self._tones.extend(dtmf_sound(digit, outgoing) for digit in digits)

    def _play(self, header: FrameHeader, samples: bytes) -> None:
        """While keys are being sent as sound, that takes the place of what the worker sends."""
        now = self._clock()
        if self._tones:
            if self._pacing.held_ms(now) < FRAME_MS:
                self._sound_key()
        elif now >= self._tones_until and self._pacing.may_send(FRAME_MS, now):
            self._send(Audio(samples))
        if header.is_marked:
            self._send(Marker(str(header.sequence)))

    def _sound_key(self) -> None:
        """The next one, as a whole: after a gap it would be taken for two. Raises
        ``SocketClosed``."""
        sound, size = self._tones.popleft(), self._frame_bytes
        for at in range(0, len(sound), size):
            for each in self._carrier.stream.send(Audio(sound[at : at + size])):
                self._carrier.socket.send(each)
        now = self._clock()
        self._pacing.sent(KEY_MS, now)
        self._tones_until = now + self._pacing.held_ms(now) / 1000

    def _send(self, message: Outgoing) -> None:
        """Raises ``SocketClosed``."""
        socket = self._carrier.socket
        for each in self._carrier.stream.send(message):
            if isinstance(message, Audio) and too_much_waits(socket.waiting_bytes, each):
                self._pacing.dropped_frames += 1
            else:
                socket.send(each)

    # -- the end -------------------------------------------------------------------------------

    async def _say(self, sentence: Sentence, opened: LegOpened) -> None:
        self._pacing.flushed(self._clock())
        await self._play_out(sentence_frames(sentence, opened.to_person))

    async def _play_out(self, frames: Iterable[bytes]) -> None:
        """In real time, so that nothing of it is lost when the line is closed."""
        begun_at = self._clock()
        with suppress(SocketClosed):
            for number, frame in enumerate(frames):
                wait_seconds = begun_at + number * FRAME_MS / 1000 - self._clock()
                if wait_seconds > 0:
                    await asyncio.sleep(wait_seconds)
                self._send(Audio(frame))
            held_ms = self._pacing.held_ms(begun_at)
            await asyncio.sleep((FRAME_MS + held_ms) / 1000)

    async def _end_at_carrier(self) -> None:
        """No leg may stay open there."""
        await hang_up(self._redis, self._carrier.api, self.ticket)

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
