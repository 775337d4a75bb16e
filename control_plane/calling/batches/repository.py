"""Every query on batches. All take the tenant; none commits."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import case, exists, func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from control_plane.calling.batches.models import BatchRow, CallBatch
from control_plane.calling.calls.models import Call
from control_plane.calling.dialing.models import DialingJob, JobState

CANCELED = "canceled"
"""Also the refusal code of recipients whose batch was canceled before their call was created."""
REJECTED = "rejected"
WAITING = "waiting"


class RowAndCall(NamedTuple):
    row: BatchRow
    call_status: str | None
    end_reason: str | None


async def find(
    session: AsyncSession, tenant_id: UUID, batch_id: UUID, *, for_update: bool = False
) -> CallBatch | None:
    """``for_update`` locks the batch, so that it is not canceled while calls are added."""
    query = select(CallBatch).where(CallBatch.tenant_id == tenant_id, CallBatch.id == batch_id)
    if for_update:
        query = query.with_for_update().execution_options(populate_existing=True)
    found: CallBatch | None = await session.scalar(query)
    return found


async def page_of_batches(
    session: AsyncSession, tenant_id: UUID, *, limit: int, offset: int
) -> tuple[Sequence[CallBatch], int]:
    """One page, newest first, and how many batches there are."""
    total = await session.scalar(
        select(func.count()).select_from(CallBatch).where(CallBatch.tenant_id == tenant_id)
    )
    batches = await session.scalars(
        select(CallBatch)
        .where(CallBatch.tenant_id == tenant_id)
        .order_by(CallBatch.created_at.desc(), CallBatch.id.desc())
        .limit(limit)
        .offset(offset)
    )
    return batches.all(), total or 0


async def count_rows(
    session: AsyncSession, tenant_id: UUID, batch_ids: Sequence[UUID]
) -> dict[UUID, dict[str, int]]:
    """By batch and status, how many rows there are.

    The status is that of the row's call, or without a call ``rejected``, ``waiting`` (for its call
    to be created) or ``canceled`` (before it was created).
    """
    status = case(
        (BatchRow.refusal_code == CANCELED, CANCELED),
        (BatchRow.refusal_code.is_not(None), REJECTED),
        (BatchRow.call_id.is_(None), WAITING),
        else_=Call.status,
    )
    rows = await session.execute(
        select(BatchRow.batch_id, status, func.count())
        .outerjoin(Call, Call.id == BatchRow.call_id)
        .where(BatchRow.tenant_id == tenant_id, BatchRow.batch_id.in_(batch_ids))
        .group_by(BatchRow.batch_id, status)
    )
    counted: dict[UUID, dict[str, int]] = defaultdict(dict)
    for batch_id, name, count in rows:
        counted[batch_id][name] = count
    return counted


async def page_of_rows(
    session: AsyncSession, tenant_id: UUID, batch_id: UUID, *, limit: int, offset: int
) -> tuple[list[RowAndCall], int]:
    """One page, in the order of the request, and how many rows there are."""
    total = await session.scalar(
        select(func.count())
        .select_from(BatchRow)
        .where(BatchRow.tenant_id == tenant_id, BatchRow.batch_id == batch_id)
    )
    rows = await session.execute(
        select(BatchRow, Call.status, Call.end_reason)
        .outerjoin(Call, Call.id == BatchRow.call_id)
        .where(BatchRow.tenant_id == tenant_id, BatchRow.batch_id == batch_id)
        .order_by(BatchRow.position)
        .limit(limit)
        .offset(offset)
    )
    return [RowAndCall(*row) for row in rows], total or 0


async def rows_without_call(
    session: AsyncSession, tenant_id: UUID, batch_id: UUID, limit: int
) -> Sequence[BatchRow]:
    """Accepted rows whose call is not created yet, in order. The caller has locked the batch."""
    found = await session.scalars(
        select(BatchRow)
        .where(
            BatchRow.tenant_id == tenant_id,
            BatchRow.batch_id == batch_id,
            BatchRow.call_id.is_(None),
            BatchRow.refusal_code.is_(None),
        )
        .order_by(BatchRow.position)
        .limit(limit)
    )
    return found.all()


async def refuse_rows_without_call(
    session: AsyncSession, tenant_id: UUID, batch_id: UUID, *, code: str, why: str
) -> None:
    """Refuse accepted rows whose call is not created yet. The caller has locked the batch."""
    await session.execute(
        update(BatchRow)
        .where(
            BatchRow.tenant_id == tenant_id,
            BatchRow.batch_id == batch_id,
            BatchRow.call_id.is_(None),
            BatchRow.refusal_code.is_(None),
        )
        .values(refusal_code=code, refusal=why)
        .execution_options(synchronize_session=False)
    )


async def stop_dialing(
    session: AsyncSession, tenant_id: UUID, batch_id: UUID, at: datetime
) -> None:
    """Cancel the waiting dialing jobs of the batch. A phone that is being dialed goes on, but is
    not dialed again. A call that was answered may still get phones. Locks the other calls that are
    not over, and then their jobs.

    Args:
        at: the batch's ``canceled_at``, by which dialing knows what was stopped.
    """
    calls = await _locked_unanswered_calls(session, tenant_id, batch_id)
    for state, changes in (
        (JobState.WAITING, {"state": JobState.CANCELED, "finished_at": at}),
        (JobState.ACTIVE, {"give_up_at": at}),
    ):
        await session.execute(
            update(DialingJob)
            .where(
                DialingJob.tenant_id == tenant_id,
                DialingJob.state == state,
                DialingJob.call_id.in_(calls),
            )
            .values(changes)
            .execution_options(synchronize_session=False)
        )


async def _locked_unanswered_calls(
    session: AsyncSession, tenant_id: UUID, batch_id: UUID
) -> Sequence[UUID]:
    """In the order in which every transaction locks several calls."""
    found = await session.scalars(
        select(Call.id)
        .join(BatchRow, BatchRow.call_id == Call.id)
        .where(
            BatchRow.tenant_id == tenant_id,
            BatchRow.batch_id == batch_id,
            Call.tenant_id == tenant_id,
            Call.ended_at.is_(None),
            Call.answered_at.is_(None),
            # A worker can report the phone's sound before the bridge's report is applied.
            Call.started_at.is_(None),
        )
        .order_by(Call.id)
        .with_for_update(of=Call)
    )
    return found.all()


async def queued_calls(
    session: AsyncSession, tenant_id: UUID, batch_id: UUID, limit: int
) -> Sequence[UUID]:
    """Queued calls of the batch whose phone is not being dialed at the moment."""
    found = await session.scalars(
        select(Call.id)
        .join(BatchRow, BatchRow.call_id == Call.id)
        .where(
            BatchRow.tenant_id == tenant_id,
            BatchRow.batch_id == batch_id,
            Call.tenant_id == tenant_id,
            Call.status == CallStatus.QUEUED.value,
            Call.dialed_at.is_(None),
            ~exists().where(DialingJob.call_id == Call.id, DialingJob.state == JobState.ACTIVE),
        )
        .order_by(BatchRow.position)
        .limit(limit)
    )
    return found.all()
