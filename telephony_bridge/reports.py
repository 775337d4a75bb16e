"""A bridge's reports about its attempts.

Each stage goes to the stream once. The newest is also kept under the attempt's key and renewed
every second, which shows that the bridge is alive.
"""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import suppress
from datetime import UTC, datetime
from typing import Protocol
from uuid import UUID

from redis.asyncio import Redis

from contracts import redis_names
from contracts.dial_outcome import DialOutcome
from contracts.dialing import DialReport, DialRequest, LegStage
from link.persistent_loop import run_persistently

RENEW_SECONDS = redis_names.HEARTBEAT_INTERVAL_SECONDS
ENDED_TTL_SECONDS = 600
"""How long an attempt's end stays readable, in case its report is lost."""


class ReportedLeg(Protocol):
    """Which leg a report is about: a ``DialRequest``, or an inbound leg."""

    @property
    def attempt_id(self) -> UUID: ...

    @property
    def call_id(self) -> UUID: ...

    @property
    def tenant_id(self) -> UUID: ...

    @property
    def participant_id(self) -> UUID: ...


class Reports:
    """The reports of one bridge. While Redis is away they wait, in order."""

    def __init__(self, redis: Redis, bridge_id: str) -> None:
        self._redis = redis
        self._bridge_id = bridge_id
        self._newest: dict[UUID, DialReport] = {}
        self._unsent: deque[DialReport] = deque()
        self._news = asyncio.Event()

    async def claim(self, request: DialRequest) -> bool:
        """Take an attempt; ``False`` if another bridge has taken it or it was withdrawn.

        Raises:
            RedisError, OSError: it may have been taken; that expires.
        """
        report = self._report(request, LegStage.DIALING)
        claimed = await self._redis.set(
            redis_names.dial_attempt(request.attempt_id),
            report.model_dump_json(),
            nx=True,
            ex=redis_names.ATTEMPT_TTL_SECONDS,
        )
        if claimed:
            self._add(report)
        return bool(claimed)

    def add(
        self,
        leg: ReportedLeg,
        stage: LegStage,
        outcome: DialOutcome | None = None,
        detail: str | None = None,
    ) -> None:
        self._add(self._report(leg, stage, outcome, detail))

    async def keep_sending(self) -> None:
        """Send and renew until cancelled."""
        await run_persistently(
            "dial_reports",
            self._send_and_renew,
            first_pause_seconds=RENEW_SECONDS,
            longest_pause_seconds=RENEW_SECONDS,
        )

    async def _send_and_renew(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(RENEW_SECONDS):
                await self._news.wait()
        await self.flush()
        await self._renew()

    async def flush(self) -> None:
        """Send the reports that wait.

        Raises:
            RedisError, OSError: those that were not sent still wait.
        """
        self._news.clear()
        while self._unsent:
            report = self._unsent[0]
            document = report.model_dump_json()
            async with self._redis.pipeline(transaction=False) as pipe:
                pipe.xadd(redis_names.DIAL_REPORT_STREAM, {redis_names.FIELD: document})
                pipe.set(
                    redis_names.dial_attempt(report.attempt_id),
                    document,
                    ex=_ttl_seconds(report),
                )
                await pipe.execute()
            self._unsent.popleft()

    async def _renew(self) -> None:
        if not self._newest:
            return
        async with self._redis.pipeline(transaction=False) as pipe:
            for report in self._newest.values():
                pipe.set(
                    redis_names.dial_attempt(report.attempt_id),
                    report.model_dump_json(),
                    ex=redis_names.ATTEMPT_TTL_SECONDS,
                )
            await pipe.execute()

    def _add(self, report: DialReport) -> None:
        if report.stage is LegStage.ENDED:
            self._newest.pop(report.attempt_id, None)
        else:
            self._newest[report.attempt_id] = report
        self._unsent.append(report)
        self._news.set()

    def _report(
        self,
        leg: ReportedLeg,
        stage: LegStage,
        outcome: DialOutcome | None = None,
        detail: str | None = None,
    ) -> DialReport:
        return DialReport(
            attempt_id=leg.attempt_id,
            call_id=leg.call_id,
            tenant_id=leg.tenant_id,
            participant_id=leg.participant_id,
            bridge_id=self._bridge_id,
            occurred_at=datetime.now(UTC),
            stage=stage,
            outcome=outcome,
            detail=detail,
        )


def _ttl_seconds(report: DialReport) -> int:
    is_over = report.stage is LegStage.ENDED
    return ENDED_TTL_SECONDS if is_over else redis_names.ATTEMPT_TTL_SECONDS
