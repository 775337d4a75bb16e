"""Looks at every running call in turn and ends those that nobody else will end.

Most calls have a lease and lie within their limits. Of these it reads only the id and the lease, a
page at a time, so that a round over very many calls does not hold up other work of the process.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts.call_offer import OFFER_TTL
from contracts.call_status import CallStatus
from contracts.commands import EndCall
from contracts.end_reasons import EndReason
from contracts.heartbeat import CallMedia
from contracts.redis_names import LEASE_TTL_SECONDS, RENEWAL_SECONDS
from contracts.versions import fault
from control_plane.calling.calls import repository as call_rows
from control_plane.calling.calls.ending.call_end import billed_position_ms, end_call
from control_plane.calling.calls.events.envelope import read_entry
from control_plane.calling.calls.events.group_transaction import EVENT_FAULTS
from control_plane.calling.calls.open_calls import OpenCalls
from control_plane.calling.calls.transitions import waits_for_phone
from control_plane.calling.reaper import repository
from control_plane.calling.reaper.arriving_ends import ArrivingEnds
from control_plane.calling.reaper.clear_view import ClearView
from control_plane.calling.reaper.judgement import LONGEST_QUEUED, ObservedCall, judge
from control_plane.calling.reaper.repository import RunningCall, WatchedCall
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.link import commands
from control_plane.platform.link.applied_cursors import clear_ended_call, forget_applied
from control_plane.platform.link.dispatch import forget_old_offers, times_given
from control_plane.platform.link.event_stream import waiting_events
from control_plane.platform.link.leases import check_renewable, lease_holder, leased
from control_plane.platform.link.media_positions import (
    forget_media_positions,
    media_positions,
    stale_media_positions,
)
from link.common_beat import until_beat
from link.connection import LINK_ERRORS

INTERVAL_SECONDS = 2.0
TIDY_SECONDS = 30.0
_log = structlog.get_logger(__name__)


class Reaper:
    """Run one or more; several do no harm.

    Args:
        open_calls: is asked first, so that nothing else is asked while no call is open.
    """

    def __init__(
        self,
        database: Database,
        redis: Redis,
        queued_timeout_seconds: float = OFFER_TTL.total_seconds(),
        view: ClearView | None = None,
        open_calls: OpenCalls | None = None,
    ) -> None:
        self._database = database
        self._redis = redis
        self._queued_timeout = timedelta(seconds=queued_timeout_seconds)
        self._view = view or ClearView(RENEWAL_SECONDS, time.monotonic)
        self._open_calls = open_calls
        self._quiet_until: dict[UUID, datetime] = {}
        """Until when a running call cannot exceed its limits."""
        self._not_reaped: set[UUID] = set()
        """Calls that cannot be ended, of which each is logged once."""
        self._tidied_at = float("-inf")

    async def run(self) -> None:
        """Reap until cancelled."""
        while True:
            await self.round()
            await until_beat(INTERVAL_SECONDS)

    async def round(self) -> None:
        """One look at every running call. Does nothing while Redis or PostgreSQL is away, or Redis
        takes nothing."""
        try:
            await self._look()
            if self._view.is_clear:
                await self._reap()
        except LINK_ERRORS as error:
            self._view.lost()
            _log.warning("reaper_waits_for_link", error=str(error))
        except DatabaseUnavailable:
            _log.warning("reaper_waits_for_database")

    async def _look(self) -> None:
        server = await self._redis.info("server")
        await check_renewable(self._redis)
        # An old Redis may not say what time it is. Then no step of its clock is seen.
        self._view.seen(server["run_id"], server.get("server_time_usec", 0) / 1e6)

    async def _reap(self) -> None:
        now = datetime.now(UTC)
        quiet_until: dict[UUID, datetime] = {}
        suspects: list[WatchedCall] = []
        running: set[UUID] = set()
        if self._open_calls is None or await self._open_calls.may_be_there():
            async for page in repository.running_calls(self._database, now - LONGEST_QUEUED):
                running.update(call.id for call in page)
                suspects += await self._suspects(page, now, quiet_until)
        self._quiet_until = quiet_until
        await self._end_lost(suspects)
        if time.monotonic() - self._tidied_at >= TIDY_SECONDS:
            await self._tidy(running, now)
            self._tidied_at = time.monotonic()

    async def _suspects(
        self, page: Sequence[RunningCall], now: datetime, quiet_until: dict[UUID, datetime]
    ) -> list[WatchedCall]:
        """The calls of a page that seem to be lost."""
        leases = await leased(self._redis, [call.id for call in page])
        noticed: list[UUID] = []
        for call in page:
            quiet = self._quiet_until.get(call.id, now)
            if call.id in leases and call.end_requested_at is None and now < quiet:
                quiet_until[call.id] = quiet
            else:
                noticed.append(call.id)
        if not noticed:
            return []
        watched = await self._watched(noticed)
        for known in watched:
            if known.started_at is not None:
                quiet_until[known.id] = known.started_at + _max_duration(known)
        verdicts = await self._judge(watched, leases, frozenset(), now)
        return [call for call in watched if call.id in verdicts]

    async def _watched(self, call_ids: Sequence[UUID]) -> list[WatchedCall]:
        async with self._database.system_session() as session:
            watched, unreadable = await repository.watched_calls(session, call_ids)
        for call_id, why in unreadable.items():
            self._leave(call_id, why)
        return watched

    def _leave(self, call_id: UUID, why: str) -> None:
        """Leave a call to a jobs process of the release that wrote its plan."""
        if call_id not in self._not_reaped:
            _log.error("call_not_reaped", call_id=str(call_id), fault=why)
        self._not_reaped.add(call_id)

    async def _end_lost(self, suspects: Sequence[WatchedCall]) -> None:
        """End those of ``suspects`` whose end is not on its way."""
        if not suspects:
            return
        # The streams can be long, so they are read only now: an end on its way is better than ours.
        ends = ArrivingEnds()
        async for entry in waiting_events(self._redis, [call.id for call in suspects]):
            ends.add(read_entry(entry))
        leases = await leased(self._redis, [call.id for call in suspects])
        await self._look()
        if not self._view.is_clear:
            return  # The leases may have lapsed or been lost since the round began.
        ending = ends.on_their_way({call.id: call.applied_seq for call in suspects}, leases)
        verdicts = await self._judge(suspects, leases, ending, datetime.now(UTC))
        positions = await media_positions(self._redis, list(verdicts))
        for call in suspects:
            if (reason := verdicts.get(call.id)) is not None:
                try:
                    await self._end(call, reason, positions.get(call.id))
                except ValidationError as error:
                    self._leave(call.id, fault(error))
                except EVENT_FAULTS:
                    # Its reported end failed like this, too, and was parked. The others go on.
                    if call.id not in self._not_reaped:
                        _log.exception("call_not_reaped", call_id=str(call.id))
                    self._not_reaped.add(call.id)

    async def _judge(
        self,
        calls: Collection[WatchedCall],
        leases: Collection[UUID],
        ending: Collection[UUID],
        now: datetime,
    ) -> dict[UUID, EndReason]:
        unleased = [call.id for call in calls if call.id not in leases]
        positions = await media_positions(self._redis, unleased)
        verdicts: dict[UUID, EndReason] = {}
        for call in calls:
            observed = _observed(
                call,
                has_lease=call.id in leases,
                has_media_position=call.id in positions,
                end_is_on_its_way=call.id in ending,
            )
            reason = judge(observed, now, self._queued_timeout)
            if reason is not None:
                verdicts[call.id] = reason
        return verdicts

    async def _end(self, seen: WatchedCall, reason: EndReason, media: CallMedia | None) -> None:
        detail = await self._detail(seen, reason)
        async with self._database.system_session() as session:
            call = await call_rows.locked_call(session, seen.tenant_id, seen.id)
            if call is None or call.applied_seq != seen.applied_seq:
                return  # An event was applied since: judge again in the next round.
            connected_ms = billed_position_ms(
                call.started_at is not None,
                call.metered_ms,
                media.connected_ms if media else None,
            )
            if not await end_call(session, call, reason, connected_ms, datetime.now(UTC), detail):
                return
        _log.warning("call_reaped", call_id=str(call.id), end_reason=reason.value)
        worker_id = await lease_holder(self._redis, call.id)
        if worker_id is not None:
            await commands.send(self._redis, worker_id, call.id, EndCall(end_reason=reason))
        await clear_ended_call(
            self._redis, call.tenant_id, call.id, call.applied_seq, call.dispatch_entry_id
        )

    async def _detail(self, call: WatchedCall, reason: EndReason) -> str | None:
        """What is known of a call that no worker has begun, for its event log."""
        if reason is not EndReason.REAPER_QUEUED_TIMEOUT or _waits_for_phone(call):
            return None
        if call.dispatched_at is None:
            return "it could not be offered to the workers"
        if await times_given(self._redis, call.id, call.dispatch_entry_id):
            return "it was offered to workers, and none of them could run it"
        return "no worker with a free slot claimed it"

    async def _tidy(self, running: Collection[UUID], now: datetime) -> None:
        """Forget positions that a worker wrote once more after its call was settled, and what is
        old."""
        stale = await stale_media_positions(
            self._redis, running, now - timedelta(seconds=LEASE_TTL_SECONDS)
        )
        await forget_media_positions(self._redis, stale)
        await forget_old_offers(self._redis, int(now.timestamp() * 1000))
        await forget_applied(self._redis, now.timestamp())


def _waits_for_phone(call: WatchedCall) -> bool:
    return waits_for_phone(CallStatus(call.status)) and call.answered_at is None


def _max_duration(call: WatchedCall) -> timedelta:
    return timedelta(seconds=call.limits.max_duration_seconds)


def _observed(
    call: WatchedCall,
    *,
    has_lease: bool,
    has_media_position: bool,
    end_is_on_its_way: bool,
) -> ObservedCall:
    return ObservedCall(
        created_at=call.created_at,
        waits_for_phone=_waits_for_phone(call),
        due_at=call.due_at,
        dialed_at=call.dialed_at,
        answered_at=call.answered_at,
        offered_at=call.dispatched_at,
        claimed_at=call.claimed_at,
        started_at=call.started_at,
        max_duration=_max_duration(call),
        join_timeout=timedelta(seconds=call.limits.join_timeout_seconds),
        end_requested_at=call.end_requested_at,
        end_requested_reason=EndReason(call.end_requested_reason)
        if call.end_requested_reason
        else None,
        has_lease=has_lease,
        has_media_position=has_media_position,
        end_is_on_its_way=end_is_on_its_way,
    )
