"""Dials what is due, and makes sure that every attempt ends."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog
from redis.asyncio import Redis

from contracts.dialing import DialReport, DialRequest, LegStage
from contracts.end_reasons import EndReason
from contracts.inbound_calls import INBOUND_PATIENCE_SECONDS
from contracts.redis_names import ATTEMPT_TTL_SECONDS
from control_plane.calling.calls.events.group_transaction import EVENT_FAULTS
from control_plane.calling.dialing import attempts, repository
from control_plane.calling.dialing.after_commit import follow_up
from control_plane.calling.dialing.attempt_judgement import Act, ObservedAttempt, judge_attempt
from control_plane.calling.dialing.models import DialingJob
from control_plane.calling.dialing.picking import dial_request, pick_due
from control_plane.calling.dialing.repository import ActiveAttempt
from control_plane.calling.dialing.silence import Silence
from control_plane.calling.pauses.repository import platform_switches
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.link import dialing as link
from control_plane.platform.link.leases import check_renewable
from control_plane.platform.settings import DialingSettings
from link.common_beat import until_beat
from link.connection import LINK_ERRORS

INTERVAL_SECONDS = 0.5
NOTHING_TO_DIAL_SECONDS = 5.0
"""Without a carrier no phone call is created. Those of an earlier configuration still have to end.
"""
LAPSED_AT_ONCE = 100
_log = structlog.get_logger(__name__)


class DialingScheduler:
    """Run one per jobs process; several share the work and keep the limits together."""

    def __init__(
        self,
        database: Database,
        redis: Redis,
        settings: DialingSettings,
        silence: Silence | None = None,
    ) -> None:
        self._database = database
        self._redis = redis
        self._settings = settings
        self._silence = silence or Silence(ATTEMPT_TTL_SECONDS, time.monotonic)
        self._faulty: set[UUID] = set()
        """Jobs, and tenants whose queue has such a job, of which each is logged once."""

    async def run(self) -> None:
        """Dial until cancelled."""
        while True:
            has_work = await self.round(datetime.now(UTC))
            is_needed = has_work or self._settings.has_phones
            await until_beat(INTERVAL_SECONDS if is_needed else NOTHING_TO_DIAL_SECONDS)

    async def round(self, now: datetime) -> bool:
        """Check the active attempts, then start what is due. While Redis is away nothing new is
        started; while PostgreSQL is away nothing is done. Returns whether there may be work."""
        try:
            async with self._database.system_statements() as session:
                has_work = await repository.has_work(session, now)
            if not has_work:
                self._silence.heard((), ())
                return False
            await self._give_up_lapsed(now)
            await self._watch_attempts(now)
            await self._start_due(now)
        except LINK_ERRORS as error:
            self._silence.forget()
            _log.warning("dialing_waits_for_link", error=str(error))
        except DatabaseUnavailable:
            _log.warning("dialing_waits_for_database")
        return True

    async def _start_due(self, now: datetime) -> None:
        async with self._database.system_session() as session:
            if not (await platform_switches(session)).calls_enabled:
                return
            tenants = await repository.tenants_with_due_jobs(session, now)
        for tenant_id in tenants:
            try:
                with self._sparing_others(tenant_id, tenant_id=tenant_id):
                    await self._start_due_of(tenant_id, now)
            except DatabaseUnavailable:
                # This queue may have been too long for the deadline. The others do not wait for it.
                _log.warning("dialing_waits_for_database", tenant_id=str(tenant_id))

    async def _start_due_of(self, tenant_id: UUID, now: datetime) -> None:
        async with self._database.system_session() as session:
            picked = await pick_due(session, tenant_id, self._settings, now)
        for request in picked.requests:
            await self._send(request, now)
        for job in picked.unwanted:
            await self._give_up(
                job,
                EndReason.DO_NOT_CALL,
                f"{job.to_number} is on your do-not-call list, so it is not dialed",
                now,
            )

    async def _send(self, request: DialRequest, now: datetime) -> None:
        async with self._database.system_session() as session:
            refused = await attempts.reserve_for_attempt(session, request, now)
        if refused is not None:
            _log.info("dial_not_allowed", call_id=str(request.call_id))
            await follow_up(self._database, self._redis, refused)
            return
        await link.request_dial(self._redis, request)
        async with self._database.system_session() as session:
            await repository.note_requested(session, request.attempt_id, now)
        _log.info(
            "dial_requested",
            call_id=str(request.call_id),
            attempt_id=str(request.attempt_id),
            carrier=request.carrier,
        )

    async def _give_up_lapsed(self, now: datetime) -> None:
        async with self._database.system_session() as session:
            jobs = await repository.lapsed_jobs(session, now, LAPSED_AT_ONCE)
        for job in jobs:
            why = f"{job.to_number} could not be dialed in the time allowed"
            with self._sparing_others(job.id, call_id=job.call_id):
                await self._give_up(job, EndReason.REAPER_QUEUED_TIMEOUT, why, now)

    async def _give_up(self, job: DialingJob, reason: EndReason, why: str, now: datetime) -> None:
        async with self._database.system_session() as session:
            after = await attempts.give_up_waiting(session, job, reason, why, now)
        await follow_up(self._database, self._redis, after)

    async def _watch_attempts(self, now: datetime) -> None:
        async with self._database.system_session() as session:
            active = await repository.active_attempts(session)
        watched = [each.job.attempt_id for each in active if each.job.attempt_id is not None]
        if watched:
            await check_renewable(self._redis)
        reports = await link.newest_reports(self._redis, watched)
        lost = self._silence.heard(watched, reports.keys())
        ring_timeout = timedelta(seconds=self._settings.ring_timeout_seconds)
        for attempt in active:
            assert attempt.job.attempt_id is not None
            report = reports.get(attempt.job.attempt_id)
            is_lost = attempt.job.attempt_id in lost and not _media_may_come(attempt.job, now)
            observed = _observed(attempt, report, is_lost)
            act = judge_attempt(observed, now, ring_timeout)
            with self._sparing_others(attempt.job.id, call_id=attempt.job.call_id):
                await self._do(act, attempt.job, report, now)

    @contextmanager
    def _sparing_others(self, key: UUID, **context: UUID) -> Iterator[None]:
        """A job that cannot be changed, such as one whose call cannot be read, does not hold up the
        others. It is tried again in each round."""
        try:
            yield
        except EVENT_FAULTS:
            if key not in self._faulty:
                _log.exception(
                    "dialing_failed", **{name: str(each) for name, each in context.items()}
                )
            self._faulty.add(key)

    async def _do(
        self, act: Act, job: DialingJob, report: DialReport | None, now: datetime
    ) -> None:
        assert job.attempt_id is not None
        match act:
            case Act.NOTHING:
                pass
            case Act.SEND_REQUEST:
                await self._send(dial_request(job, self._settings), now)
            case Act.WITHDRAW:
                await link.withdraw(
                    self._redis,
                    job.attempt_id,
                    job.call_id,
                    job.tenant_id,
                    job.participant_id,
                    now,
                )
            case Act.HANG_UP:
                assert job.bridge_id is not None
                await link.hang_up_leg(self._redis, job.bridge_id, job.attempt_id)
            case Act.APPLY_REPORT:
                assert report is not None
                async with self._database.system_session() as session:
                    after = await attempts.apply_report(session, report)
                await follow_up(self._database, self._redis, after)
            case Act.GIVE_UP:
                async with self._database.system_session() as session:
                    after = await attempts.lose_attempt(session, job, now)
                await follow_up(self._database, self._redis, after)
                _log.warning(
                    "attempt_given_up",
                    call_id=str(job.call_id),
                    attempt_id=str(job.attempt_id),
                    stage=job.stage,
                    bridge_id=job.bridge_id,
                )


def _media_may_come(job: DialingJob, now: datetime) -> bool:
    """An inbound leg has no bridge between our answer and the carrier's media."""
    if not job.is_inbound or job.stage != LegStage.RINGING or job.stage_at is None:
        return False
    return now - job.stage_at < timedelta(seconds=INBOUND_PATIENCE_SECONDS)


def _observed(
    attempt: ActiveAttempt, report: DialReport | None, bridge_is_lost: bool
) -> ObservedAttempt:
    job = attempt.job
    assert job.stage is not None
    assert job.stage_at is not None
    assert job.dial_before is not None
    return ObservedAttempt(
        stage=LegStage(job.stage),
        stage_at=job.stage_at,
        dial_before=job.dial_before,
        was_requested=job.requested_at is not None,
        call_is_over=attempt.call_is_over,
        leg_is_over=attempt.leg_is_over,
        reported=report.stage if report else None,
        reported_at=report.occurred_at if report else None,
        bridge_is_lost=bridge_is_lost,
    )
