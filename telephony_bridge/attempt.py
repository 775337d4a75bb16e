"""One attempt to reach one phone: turns a carrier's states into stages and limits the ringing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

import structlog

from contracts.dial_outcome import DialOutcome
from contracts.dialing import STAGE_RANK, DialRequest, LegStage
from telemetry.metrics import DIAL_ATTEMPTS_ENDED
from telephony_bridge.carrier import (
    Answered,
    Carrier,
    CarrierRefused,
    DialedLeg,
    Ended,
    Ringing,
)

TURN_SECONDS = 1.0
"""Until a carrier that takes so many new calls a second is asked again. Vonage takes three."""
HANG_UP_SECONDS = 20.0
"""How long an adapter may ask its carrier to hang up, more than once."""
HANG_UP_PATIENCE_SECONDS = 5.0
"""How long a carrier may take to confirm a hang-up."""

Report = Callable[[LegStage, DialOutcome | None, str | None], None]
_log = structlog.get_logger(__name__)


class Attempt:
    """
    Args:
        report: called with every stage after ``dialing``, once each and in order.
    """

    def __init__(self, request: DialRequest, carrier: Carrier, report: Report) -> None:
        self.request = request
        self._carrier = carrier
        self._report = report
        self._stop = asyncio.Event()
        self._stage = LegStage.DIALING
        self._own_reason: DialOutcome | None = None
        """Why we hung up. The carrier would only say that the leg was canceled."""

    def hang_up(self) -> None:
        """End the attempt, at whatever stage it is."""
        self._stop.set()

    async def run(self) -> None:
        """Returns once the attempt has ended and its end is reported. Only cancellation is raised:
        the bridge has other phones."""
        leg: DialedLeg | None = None
        try:
            leg = await self._dialed()
            await self._accompany(leg)
        except CarrierRefused as refusal:
            self._end(refusal.outcome, refusal.detail)
        except Exception as error:  # noqa: BLE001 - whatever it is, it concerns this phone alone
            _log.exception("attempt_failed", call_id=str(self.request.call_id))
            if leg is not None:
                await leg.give_up()
            why = f"the bridge failed with {type(error).__name__}"
            self._end(self._own_reason or DialOutcome.FAILED, why)

    async def _accompany(self, leg: DialedLeg) -> None:
        """Until it is over, or we end it."""
        stopping = asyncio.create_task(self._stop.wait())
        following = asyncio.create_task(self._follow(leg))
        ringing = asyncio.create_task(asyncio.sleep(self.request.ring_timeout_seconds))
        try:
            outcome = await self._first_of(following, stopping, ringing)
            if outcome is not None:
                await self._leave(leg, following, outcome)
        finally:
            for task in (stopping, following, ringing):
                task.cancel()

    async def _dialed(self) -> DialedLeg:
        """Raises ``CarrierRefused``: not only because others were dialed in the same second."""
        while True:
            try:
                return await self._carrier.dial(self.request)
            except CarrierRefused as refusal:
                is_in_time = datetime.now(UTC) < self.request.dial_before
                if not (refusal.is_too_soon and is_in_time) or await self._is_stopped_first():
                    raise

    async def _is_stopped_first(self) -> bool:
        """Whether we hang up before it is the call's turn again."""
        with suppress(TimeoutError):
            async with asyncio.timeout(TURN_SECONDS):
                await self._stop.wait()
        return self._stop.is_set()

    @property
    def _was_answered(self) -> bool:
        return STAGE_RANK[self._stage] >= STAGE_RANK[LegStage.ANSWERED]

    async def _first_of(
        self,
        following: asyncio.Task[None],
        stopping: asyncio.Task[bool],
        ringing: asyncio.Task[None],
    ) -> DialOutcome | None:
        """``None`` once the carrier has ended the leg; otherwise why we end it."""
        waiting: set[asyncio.Task[bool] | asyncio.Task[None]] = {following, stopping, ringing}
        while True:
            done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if following in done:
                await following
                return None
            if stopping in done:
                return DialOutcome.CANCELED
            if not self._was_answered:
                return DialOutcome.NO_ANSWER

    async def _leave(
        self, leg: DialedLeg, following: asyncio.Task[None], reason: DialOutcome
    ) -> None:
        """Hang up. Before the carrier confirms that, the phone may still be answered or give up."""
        self._own_reason = reason
        try:
            async with asyncio.timeout(HANG_UP_SECONDS):
                await leg.hang_up()
        except (CarrierRefused, TimeoutError) as error:
            _log.warning("hang_up_refused", call_id=str(self.request.call_id), error=str(error))
        done, _ = await asyncio.wait({following}, timeout=HANG_UP_PATIENCE_SECONDS)
        if following in done:
            await following
        else:
            # A carrier may say of a call that it has just taken that there is none.
            await leg.give_up()
            self._end(reason, "the carrier did not confirm the hang-up")

    async def _follow(self, leg: DialedLeg) -> None:
        async for state in leg.states():
            match state:
                case Ringing():
                    self._reach(LegStage.RINGING)
                case Answered():
                    self._reach(LegStage.ANSWERED)
                case Ended(outcome, detail):
                    self._end(self._own_reason or outcome or DialOutcome.FAILED, detail)
                    return
        self._end(self._own_reason or DialOutcome.FAILED, "the connection to the carrier was lost")

    def _end(self, outcome: DialOutcome, detail: str | None) -> None:
        self._reach(LegStage.ENDED, None if self._was_answered else outcome, detail)

    def _reach(
        self, stage: LegStage, outcome: DialOutcome | None = None, detail: str | None = None
    ) -> None:
        """Report ``stage`` if it is new. Carriers repeat themselves, and report late."""
        if STAGE_RANK[stage] > STAGE_RANK[self._stage]:
            self._stage = stage
            if stage is LegStage.ENDED:
                DIAL_ATTEMPTS_ENDED.labels(outcome.value if outcome else "answered").inc()
            self._report(stage, outcome, detail)
