"""Sends the plans of committed calls to the workers, when their tenants' turns come."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import structlog
from redis.asyncio import Redis

from contracts.call_offer import OFFER_TTL, CallOffer
from control_plane.calling.calls import repository
from control_plane.calling.calls.open_calls import OpenCalls
from control_plane.calling.calls.plan_document import PlanDocument
from control_plane.calling.calls.repository import Dispatched
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.link.capacity import read_capacity
from control_plane.platform.link.dispatch import dispatch
from link.common_beat import until_beat
from link.connection import LINK_ERRORS
from link.dispatch_queue import DispatchQueue
from telemetry.tracing import call_span

REDISPATCH_INTERVAL_SECONDS = 2.0
ADVANCE_INTERVAL_SECONDS = 0.25
LOOK_INTERVAL_SECONDS = 1.0
"""While no call waits: a call that finds nobody waiting is put on the stream at once."""
MOST_ON_STREAM = 16
"""Few, because what is on the stream is claimed in its order, whichever tenant it belongs to."""
RECORD_TOGETHER_SECONDS = 0.05
FIRST_DISPATCH_GRACE = timedelta(seconds=3)
"""How long the request that created a call has to dispatch it itself."""

_log = structlog.get_logger(__name__)


class Dispatcher:
    """Offers committed calls to the workers. Each process that creates calls has one."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._unrecorded: list[Dispatched] = []
        self._recordings: set[asyncio.Task[None]] = set()

    async def dispatch(self, redis: Redis, plan: PlanDocument, weight: int | None = None) -> None:
        """Offer a call to the workers from now on.

        ``redispatch`` offers a call again that could not be dispatched, or whose dispatch could not
        be recorded. Workers ignore a call that they have already.

        Args:
            weight: how many calls the tenant may send in one turn; ``None``: as before.
        """
        with call_span("dispatch call", plan.call_id):
            try:
                dispatched = await _dispatched(redis, plan, weight)
            except LINK_ERRORS as error:
                _log.warning("dispatch_postponed", call_id=str(plan.call_id), error=str(error))
                return
        self._unrecorded.append(dispatched)
        if len(self._unrecorded) == 1:
            recording = asyncio.create_task(self._record(), name="record-dispatches")
            self._recordings.add(recording)
            recording.add_done_callback(self._recordings.discard)

    async def recorded(self) -> None:
        """Return when every dispatch so far is recorded, or cannot be."""
        await asyncio.gather(*self._recordings)

    async def _record(self) -> None:
        """Record the dispatches of a short time in one transaction, because each costs PostgreSQL
        and this process as much as a tenth of the request that created the call."""
        await asyncio.sleep(RECORD_TOGETHER_SECONDS)
        dispatched, self._unrecorded = self._unrecorded, []
        try:
            async with self._database.system_statements() as session:
                await repository.record_dispatches(session, dispatched)
        except DatabaseUnavailable as error:
            calls = [str(each.call_id) for each in dispatched]
            _log.warning("dispatches_not_recorded", call_ids=calls, error=str(error))


async def _dispatched(redis: Redis, plan: PlanDocument, weight: int | None) -> Dispatched:
    offer = CallOffer.made(plan.call_id, plan.tenant_id, datetime.now(UTC), plan.funded_until_ms)
    entry_id = await dispatch(redis, offer, plan.json, weight)
    return Dispatched(offer.tenant_id, offer.call_id, entry_id, offer.offered_at)


async def dispatch_call(database: Database, redis: Redis, plan: PlanDocument) -> bool:
    """Offer a single call and record that; ``False`` if Redis or PostgreSQL is away."""
    try:
        with call_span("dispatch call", plan.call_id):
            dispatched = await _dispatched(redis, plan, None)
        async with database.system_statements() as session:
            await repository.record_dispatches(session, [dispatched])
    except (*LINK_ERRORS, DatabaseUnavailable) as error:
        _log.warning("dispatch_postponed", call_id=str(plan.call_id), error=str(error))
        return False
    return True


async def reserve_worker(redis: Redis, plan: PlanDocument) -> None:
    """Offer a call whose phone rings, so that its first word is ready when the phone is answered.
    Nothing is recorded: then it is dispatched, whether a worker has it by then or not."""
    try:
        await _dispatched(redis, plan, None)
    except LINK_ERRORS as error:
        _log.warning("worker_not_reserved", call_id=str(plan.call_id), error=str(error))


async def redispatch(database: Database, redis: Redis) -> int:
    """Dispatch the calls that could not be dispatched at once. Returns how many were dispatched.

    A call that has waited for longer than an offer is valid is left to the reaper: its caller has
    given up.

    Raises:
        DatabaseUnavailable: try again later.
    """
    async with database.system_statements() as session:
        now = datetime.now(UTC)
        calls = await repository.undispatched(
            session, created_before=now - FIRST_DISPATCH_GRACE, waiting_since=now - OFFER_TTL
        )
        plans = [call.plan_document() for call in calls]
    dispatched = 0
    for plan in plans:
        if not await dispatch_call(database, redis, plan):
            break
        dispatched += 1
    return dispatched


async def keep_advancing(redis: Redis) -> None:
    """Run until cancelled: while workers have free slots, put waiting calls on the dispatch stream.

    Workers of this release do so themselves. Those of release 0.1 only read the stream.
    """
    queue = DispatchQueue(redis)
    while True:
        pause_seconds = LOOK_INTERVAL_SECONDS
        try:
            if await queue.waiting():
                pause_seconds = ADVANCE_INTERVAL_SECONDS
                free = (await read_capacity(redis)).free
                await queue.advance(window=min(free, MOST_ON_STREAM))
        except LINK_ERRORS as error:
            _log.warning("dispatch_waits_for_link", error=str(error))
        await until_beat(pause_seconds)


async def keep_redispatching(database: Database, redis: Redis, open_calls: OpenCalls) -> None:
    """Run ``redispatch`` until cancelled, but not while no call is open."""
    while True:
        try:
            if await open_calls.may_be_there() and (count := await redispatch(database, redis)):
                _log.info("calls_redispatched", count=count)
        except DatabaseUnavailable:
            _log.warning("redispatch_waits_for_database")
        await until_beat(REDISPATCH_INTERVAL_SECONDS)
