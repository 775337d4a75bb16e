"""When a call is analysed: at its end, again when its transcript grows later, and on request.

The caller of each function here holds the call's row locked, so that no two analyses of one call
are ever begun at once.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.models import Call
from control_plane.calling.intelligence import repository, tasks
from control_plane.calling.intelligence.completion import skip
from control_plane.calling.intelligence.errors import AnalysisUnderWay
from control_plane.calling.intelligence.models import CallAnalysis
from control_plane.calling.intelligence.status import IntelligenceStatus
from control_plane.platform.job_queue import enqueue

LATE_FACTS_PATIENCE = timedelta(seconds=10)
"""What a dead worker's journal still holds is shipped within moments; one analysis is enough."""


async def begin_at_end(session: AsyncSession, call: Call) -> None:
    """Analyse a call that has just ended; nothing was said in one that never connected."""
    if call.started_at is None:
        await skip(session, call)
    else:
        await _queue(session, call, None, timedelta())


async def begin_again_for_late_words(session: AsyncSession, call: Call) -> None:
    """Something was added to the transcript of a call that is over.

    An analysis under way finds that out itself, before it finishes.
    """
    analysis = await repository.find(session, call.tenant_id, call.id)
    if analysis is None or analysis.job_id is None:
        await _queue(session, call, analysis, LATE_FACTS_PATIENCE)


async def begin(session: AsyncSession, call: Call) -> UUID:
    """Queue an analysis and return its id.

    Raises:
        AnalysisUnderWay: there is one already.
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
