"""All queries on analyses. Each takes the tenant; none commits."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, select, text
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.models import Segment
from control_plane.calling.intelligence.models import CallAnalysis, PaidAnswer


async def find(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> CallAnalysis | None:
    found: CallAnalysis | None = await session.scalar(
        select(CallAnalysis)
        .where(CallAnalysis.tenant_id == tenant_id, CallAnalysis.call_id == call_id)
        .execution_options(populate_existing=True)
    )
    return found


async def transcript(session: AsyncSession, tenant_id: UUID, call_id: UUID) -> Sequence[Segment]:
    segments = await session.scalars(
        select(Segment)
        .where(Segment.tenant_id == tenant_id, Segment.call_id == call_id)
        .order_by(Segment.sequence)
    )
    return segments.all()


async def paid_answer(
    session: AsyncSession, tenant_id: UUID, job_id: UUID, request_digest: bytes
) -> PaidAnswer | None:
    found: PaidAnswer | None = await session.scalar(
        select(PaidAnswer).where(
            PaidAnswer.tenant_id == tenant_id,
            PaidAnswer.job_id == job_id,
            PaidAnswer.request_digest == request_digest,
        )
    )
    return found


async def store_paid_answer(
    session: AsyncSession,
    tenant_id: UUID,
    job_id: UUID,
    request_digest: bytes,
    *,
    text: str,
    input_tokens: int,
    output_tokens: int,
) -> None:
    await session.execute(
        insert(PaidAnswer)
        .values(
            tenant_id=tenant_id,
            job_id=job_id,
            request_digest=request_digest,
            text=text,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
        )
        .on_conflict_do_nothing()
    )


async def paid_totals(session: AsyncSession, tenant_id: UUID, job_id: UUID) -> tuple[int, int, int]:
    """The requests, input tokens and output tokens of one analysis."""
    row = (
        await session.execute(
            select(
                func.count(),
                func.coalesce(func.sum(PaidAnswer.input_tokens), 0),
                func.coalesce(func.sum(PaidAnswer.output_tokens), 0),
            ).where(PaidAnswer.tenant_id == tenant_id, PaidAnswer.job_id == job_id)
        )
    ).one()
    return int(row[0]), int(row[1]), int(row[2])


async def delete_paid_answers(session: AsyncSession, tenant_id: UUID, job_id: UUID) -> None:
    await session.execute(
        delete(PaidAnswer).where(PaidAnswer.tenant_id == tenant_id, PaidAnswer.job_id == job_id)
    )


async def under_way(session: AsyncSession, tenant_id: UUID) -> int:
    """How many analyses of the tenant wait or run."""
    found = await session.scalar(
        select(func.count()).where(
            CallAnalysis.tenant_id == tenant_id, CallAnalysis.job_id.is_not(None)
        )
    )
    return found or 0


async def abandoned(
    session: AsyncSession, task_name: str, touched_before: datetime
) -> Sequence[CallAnalysis]:
    """Unfinished analyses of all tenants whose job no longer exists. At most 100. For jobs."""
    found = await session.scalars(
        select(CallAnalysis)
        .where(
            CallAnalysis.job_id.is_not(None),
            CallAnalysis.touched_at < touched_before,
            text(
                "NOT EXISTS (SELECT FROM procrastinate_jobs AS job"
                " WHERE job.status IN ('todo', 'doing') AND job.task_name = :task_name"
                " AND job.args->>'job_id' = call_analyses.job_id::text)"
            ).bindparams(task_name=task_name),
        )
        .order_by(CallAnalysis.touched_at)
        .limit(100)
    )
    return found.all()
