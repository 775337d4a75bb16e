"""Answers the bridges about inbound calls, each in a task of its own: a carrier waits."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime

import structlog
from redis.asyncio import Redis

from contracts.inbound_calls import InboundAnswer, InboundCall, InboundRefusal, InboundRefused
from control_plane.calling.calls.creating.dispatcher import dispatch_call
from control_plane.calling.inbound.admission import InboundAdmission
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable, Problem
from control_plane.platform.link.capacity import CapacityView
from control_plane.platform.link.inbound_calls import answer, inbound_group, read_call
from control_plane.platform.settings import ControlPlaneSettings
from link.connection import LINK_ERRORS
from link.persistent_loop import run_persistently
from link.stream_entry import StreamEntry

CONSUMER_NAME = "jobs"
"""One name for all jobs processes, so that each takes over what a dead one left."""
AT_ONCE = 32
RECLAIM_IDLE_MS = 1_000
SWEEP_INTERVAL_SECONDS = 1.0
RETRY_SECONDS = 0.2
_log = structlog.get_logger(__name__)


class InboundConsumer:
    """Run one per jobs process.

    Args:
        redis: answers quickly; ``patient_redis`` allows for ``event_stream.BLOCK_SECONDS``.
    """

    def __init__(
        self,
        database: Database,
        redis: Redis,
        patient_redis: Redis,
        settings: ControlPlaneSettings,
    ) -> None:
        self._database = database
        self._redis = redis
        self._admission = InboundAdmission(database, settings, CapacityView(redis))
        self.stream = inbound_group(patient_redis, CONSUMER_NAME)
        self._places = asyncio.Semaphore(AT_ONCE)
        self._swept_at = float("-inf")

    async def run(self) -> None:
        """Consume until cancelled."""
        async with asyncio.TaskGroup() as tasks:

            async def take_next() -> None:
                for entry in await self._next():
                    await self._places.acquire()
                    tasks.create_task(self._handle_in_its_place(entry))

            await run_persistently(
                "inbound_calls",
                take_next,
                first_pause_seconds=RETRY_SECONDS,
                longest_pause_seconds=RETRY_SECONDS,
            )

    async def _next(self) -> list[StreamEntry]:
        entries: list[StreamEntry] = []
        if time.monotonic() - self._swept_at >= SWEEP_INTERVAL_SECONDS:
            entries += await self.stream.reclaim(RECLAIM_IDLE_MS)
            self._swept_at = time.monotonic()
        return entries or await self.stream.read_new()

    async def _handle_in_its_place(self, entry: StreamEntry) -> None:
        try:
            await self.handle(entry)
        except (*LINK_ERRORS, DatabaseUnavailable) as error:
            # The entry comes again while its bridge still waits.
            _log.warning("inbound_call_waits", error=str(error))
        finally:
            self._places.release()

    async def handle(self, entry: StreamEntry) -> None:
        """Answer one call and finish its entry.

        Raises:
            RedisError, OSError, DatabaseUnavailable: it comes again.
        """
        call = read_call(entry.document)
        if call is not None and datetime.now(UTC) < call.answer_before:
            told = await self._admit(call)
            await answer(self._redis, call, told)
            _log_answer(call, told)
        await self.stream.finish([entry])

    async def _admit(self, call: InboundCall) -> InboundAnswer:
        """Create the call and offer it to the workers, or say why not."""
        try:
            admission = await self._admission.admit(call)
            if admission.plan is not None:
                await dispatch_call(self._database, self._redis, admission.plan)
        except (*LINK_ERRORS, DatabaseUnavailable):
            raise
        except Exception as error:  # noqa: BLE001 - it would come again, and end each process
            _log.exception("inbound_call_not_created", **_names(call))
            detail = error.detail if isinstance(error, Problem) else type(error).__name__
            return InboundRefused(kind=InboundRefusal.UNAVAILABLE, detail=detail)
        return admission.answer


def _log_answer(call: InboundCall, told: InboundAnswer) -> None:
    if isinstance(told, InboundRefused):
        kind, detail = told.kind.value, told.detail
        _log.warning("inbound_call_refused", kind=kind, detail=detail, **_names(call))
    else:
        _log.info("inbound_call_admitted", call_id=str(told.call_id), **_names(call))


def _names(call: InboundCall) -> dict[str, str]:
    """What tells the call from others in a log."""
    return {
        "account_id": str(call.account_id),
        "carrier": call.provider,
        "carrier_call_id": call.carrier_call_id,
        "to_number": call.to_number,
    }
