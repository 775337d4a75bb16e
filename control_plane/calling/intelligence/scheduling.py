"""Queues the analysis of a call: when it ends, when its transcript grows later, and on request.

Callers hold a lock on the call's row, so that a call never has two analyses at once.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.models import Call
from control_plane.calling.intelligence import repository, tasks
from control_plane.calling.intelligence.analysers.findings import IntelligenceStatus
from control_plane.calling.intelligence.errors import AnalysisUnderWay
from control_plane.calling.intelligence.models import CallAnalysis
from control_plane.calling.intelligence.results import skip
from control_plane.platform.job_queue import enqueue

LATE_SEGMENTS_DELAY = timedelta(seconds=10)
"""The rest of a dead worker's journal arrives within moments. Waiting saves further analyses."""


async def schedule_at_end(session: AsyncSession, call: Call) -> None:
    """Schedule the analysis of a call that has just ended; skip it if the call never connected."""
    if call.started_at is None:
        await skip(session, call)
    else:
        await _queue(session, call, None, timedelta())


async def schedule_for_late_segments(session: AsyncSession, call: Call) -> None:
    """Schedule another analysis, because the transcript of an ended call has grown.

    Does nothing if an analysis is running: it checks the transcript itself before it finishes.
    """
    analysis = await repository.find(session, call.tenant_id, call.id)
    if analysis is None or analysis.job_id is None:
        await _queue(session, call, analysis, LATE_SEGMENTS_DELAY)


async def schedule(session: AsyncSession, call: Call) -> UUID:
    """Schedule an analysis and return its id.

    Raises:
        AnalysisUnderWay: the call already has an unfinished analysis.
    """
    analysis = await repository.find(session, call.tenant_id, call.id)
    if analysis is not None and analysis.job_id is not None:
        raise AnalysisUnderWay
    return await _queue(session, call, analysis, timedelta())


async def _queue(
    session: AsyncSession, call: Call, analysis: CallAnalysis | None, not_within: timedelta
) -> UUID:
    job_id = uuid4()
    if analysis is None:
        analysis = CallAnalysis(call_id=call.id, tenant_id=call.tenant_id)
        session.add(analysis)
    analysis.job_id = job_id
    analysis.touched_at = datetime.now(UTC)
    call.intelligence_status = IntelligenceStatus.PENDING.value
    await enqueue(
        session,
        tasks.analyse_call,
        not_within=not_within,
        tenant_id=str(call.tenant_id),
        call_id=str(call.id),
        job_id=str(job_id),
    )
    return job_id
