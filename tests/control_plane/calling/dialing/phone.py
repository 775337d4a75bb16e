"""A telephony bridge with the simulated carrier, and the control plane's side driven by hand."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

from redis.asyncio import Redis
from sqlalchemy import select, update

from contracts.dialing import LegStage
from control_plane.calling.calls.creating.new_call import create_call
from control_plane.calling.calls.creating.planning import PlanSources
from control_plane.calling.calls.models import Call
from control_plane.calling.calls.schemas import CallCreate, ParticipantInput
from control_plane.calling.dialing.models import DialingJob, JobState
from control_plane.calling.dialing.report_consumer import ReportConsumer
from control_plane.calling.dialing.retry import ONE_CALL, RetryRules
from control_plane.calling.dialing.schedule import Schedule
from control_plane.calling.dialing.scheduler import DialingScheduler
from control_plane.calling.dialing.service import DEFAULT_PRIORITY, NOW
from control_plane.calling.numbers.models import Number
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings, DialingSettings
from telephony_bridge.bridge import run_bridge
from telephony_bridge.settings import BridgeSettings
from tests.control_plane.conftest import TenantClient
from tests.stand_ins.simulated_carrier import NAME, SimulatedCarrier

CALLEE = "+14155550123"
OWN_NUMBER = "+14155550100"
PATIENCE_SECONDS = 30.0
DIALING = DialingSettings(carriers=frozenset({NAME}))


@dataclass
class Phones:
    """The jobs process's part of dialing, one step at a time, beside a running bridge."""

    database: Database
    redis: Redis
    carrier: SimulatedCarrier
    settings: ControlPlaneSettings
    scheduler: DialingScheduler = field(init=False)
    reports: ReportConsumer = field(init=False)

    def __post_init__(self) -> None:
        self.scheduler = self.another_scheduler()
        self.reports = ReportConsumer(self.database, self.redis)

    def another_scheduler(self) -> DialingScheduler:
        return DialingScheduler(self.database, self.redis, self.settings.dialing)

    async def agent(self, tenant: TenantClient) -> UUID:
        """A published agent of a tenant that has a number to call from."""
        await self.give_number(tenant)
        return await tenant.published_agent()

    async def give_number(
        self, tenant: TenantClient, number: str = OWN_NUMBER, **fields: Any
    ) -> None:
        async with self.database.system_session() as session:
            session.add(Number(tenant_id=tenant.tenant_id, number=number, carrier=NAME, **fields))

    async def queue(
        self,
        tenant: TenantClient,
        agent_id: UUID,
        *to: str,
        from_number: str | None = None,
        retry: RetryRules = ONE_CALL,
        schedule: Schedule = NOW,
        priority: int = DEFAULT_PRIORITY,
    ) -> UUID:
        """A queued call to ``to``, with options that ``POST /v1/calls`` does not take."""
        people = [
            ParticipantInput(transport="pstn", identity=number, from_number=from_number)
            for number in to or (CALLEE,)
        ]
        wanted = CallCreate(
            agent_id=agent_id, participants=people, metadata={}, variables={}, post_call=None
        )
        async with self.database.tenant_session(tenant.tenant_id) as session:
            made = await create_call(
                session,
                tenant.tenant_id,
                wanted,
                self.settings,
                PlanSources(),
                retry=retry,
                schedule=schedule,
                priority=priority,
            )
        return made.plan.call_id

    async def step(self, ahead: timedelta = timedelta(0)) -> None:
        """One look of the scheduler, with its clock put forward, and at what has been reported."""
        await self.scheduler.round(datetime.now(UTC) + ahead)
        await self.reports.consume(await self.reports.stream.read_new())

    async def until(self, reached: Callable[[], Awaitable[bool]]) -> None:
        """Go on until ``reached``."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not await reached():
                await self.step()

    async def until_status(self, tenant: TenantClient, call_id: str, status: str) -> dict[str, Any]:
        """Go on until the call has ``status``, and return it."""
        call: dict[str, Any] = {}

        async def has_status() -> bool:
            answer = await tenant.get(f"/v1/calls/{call_id}")
            call.update(answer.json())
            return bool(call["status"] == status)

        await self.until(has_status)
        return call

    async def until_answered(self, call_id: UUID) -> None:
        await self._until_job(call_id, lambda job: job.stage == LegStage.ANSWERED)

    async def until_closed(self, call_id: UUID) -> None:
        await self._until_job(call_id, lambda job: job.finished_at is not None)

    async def until_waiting(self, call_id: UUID, attempts: int) -> DialingJob:
        """Go on until the job is back in the queue after so many attempts."""
        await self._until_job(
            call_id, lambda job: job.state == JobState.WAITING and job.attempts == attempts
        )
        return await self.job(call_id)

    async def _until_job(self, call_id: UUID, reached: Callable[[DialingJob], bool]) -> None:
        async def is_reached() -> bool:
            return reached(await self.job(call_id))

        await self.until(is_reached)

    async def job(self, call_id: UUID) -> DialingJob:
        """The call's only phone leg."""
        async with self.database.system_session() as session:
            return (
                await session.scalars(select(DialingJob).where(DialingJob.call_id == call_id))
            ).one()


@asynccontextmanager
async def running_bridge(
    redis_url: str, carrier: SimulatedCarrier, bridge_id: str = "bridge-1"
) -> AsyncIterator[None]:
    stop = asyncio.Event()
    bridge = asyncio.create_task(
        run_bridge(
            BridgeSettings(redis_url=redis_url, bridge_id=bridge_id), stop, carriers=[carrier]
        )
    )
    try:
        yield
    finally:
        stop.set()
        await bridge


async def paid_by(database: Database, call_id: str, payer: TenantClient) -> None:
    """The call becomes one that the tenant pays as a tester."""
    async with database.system_session() as session:
        await session.execute(
            update(Call).where(Call.id == UUID(call_id)).values(payer_tenant_id=payer.tenant_id)
        )
