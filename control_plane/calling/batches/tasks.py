"""Jobs of batches: creating their calls, and ending those that wait. Both may run again."""

from __future__ import annotations

from uuid import UUID

from procrastinate import JobContext, RetryStrategy
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.batches import repository
from control_plane.calling.batches.models import BatchRow, CallBatch
from control_plane.calling.batches.recipient_calls import (
    CALLS_AT_ONCE,
    cancel_waiting_calls,
    make_call,
)
from control_plane.calling.calls.creating.planning import PlanSources
from control_plane.calling.dialing.errors import NeverDialable
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable, Problem
from control_plane.platform.job_queue import (
    PATIENT_QUEUE,
    database_of,
    job_queue,
    settings_of,
    when_given_up,
)
from control_plane.platform.settings import ControlPlaneSettings

NOT_CREATED = "not_created"
"""The refusal code of recipients whose calls could not be created, for no fault of theirs."""
_RETRY = RetryStrategy(max_attempts=10, exponential_wait=2)


@job_queue.task(name="batches.make_calls", queue=PATIENT_QUEUE, pass_context=True, retry=_RETRY)
async def make_calls_of_batch(context: JobContext, *, tenant_id: str, batch_id: str) -> None:
    """Create the calls that are not created yet. A recipient whose call is refused is rejected."""
    database, settings, sources = database_of(context), settings_of(context), PlanSources()
    while True:
        async with database.tenant_session(UUID(tenant_id)) as session:
            batch = await repository.find(session, UUID(tenant_id), UUID(batch_id), for_update=True)
            if batch is None:
                return
            rows = await repository.rows_without_call(
                session, batch.tenant_id, batch.id, CALLS_AT_ONCE
            )
            if not rows:
                return
            for row in rows:
                await _make_or_refuse(session, batch, row, settings, sources)


async def _make_or_refuse(
    session: AsyncSession,
    batch: CallBatch,
    row: BatchRow,
    settings: ControlPlaneSettings,
    sources: PlanSources,
) -> None:
    try:
        async with session.begin_nested():
            row.call_id = await make_call(session, batch, row, settings, sources)
    except DatabaseUnavailable:
        raise
    except Problem as problem:
        row.refusal_code, row.refusal = problem.code, problem.detail
    except NeverDialable as error:
        row.refusal_code, row.refusal = "never_dialable", str(error)


@when_given_up(make_calls_of_batch)
async def refuse_left_recipients(database: Database, *, tenant_id: str, batch_id: str) -> None:
    """Their calls are not created."""
    async with database.tenant_session(UUID(tenant_id)) as session:
        await repository.find(session, UUID(tenant_id), UUID(batch_id), for_update=True)
        await repository.refuse_rows_without_call(
            session,
            UUID(tenant_id),
            UUID(batch_id),
            code=NOT_CREATED,
            why="Creating the calls of the batch failed too often; send these recipients again",
        )


@job_queue.task(name="batches.cancel_calls", pass_context=True, retry=_RETRY)
async def cancel_calls_of_batch(context: JobContext, *, tenant_id: str, batch_id: str) -> None:
    """End the calls that wait to be dialed."""
    database = database_of(context)
    while True:
        async with database.system_session() as session:
            some_waited = await cancel_waiting_calls(session, UUID(tenant_id), UUID(batch_id))
        if not some_waited:
            return
