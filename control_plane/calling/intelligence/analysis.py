"""Runs one analysis: reads the call, asks the analyser and stores the result.

All reading and writing is done as the call's tenant, so row-level security protects an analysis as
it protects a request. No transaction is open while the analyser works.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, cast
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.models import Call, Segment
from control_plane.calling.calls.repository import locked_call
from control_plane.calling.intelligence import repository
from control_plane.calling.intelligence.analysers.assignment import Assignment, SpokenTurn
from control_plane.calling.intelligence.analysers.findings import Findings, Obstacle, PartError
from control_plane.calling.intelligence.analysers.selection import (
    Analyser,
    Unavailable,
    choose_analyser,
)
from control_plane.calling.intelligence.models import CallAnalysis
from control_plane.calling.intelligence.results import finish, send_lean_once, skip
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings

MOST_ROUNDS = 5
"""How often an analysis starts over because the transcript has grown in the meantime."""
_log = structlog.get_logger(__name__)


class AnalysisPostponed(Exception):
    """The analysis has to be tried again later. The message says why."""


@dataclass(frozen=True)
class _Work:
    segments: Sequence[Segment]
    assignment: Assignment
    analyser: Analyser | Unavailable


async def analyse(
    database: Database,
    settings: ControlPlaneSettings,
    tenant_id: UUID,
    call_id: UUID,
    job_id: UUID,
    *,
    is_last_try: bool,
) -> None:
    """Run the analysis ``job_id``. Does nothing if the call has another analysis by now.

    Args:
        is_last_try: store what could be found even if the provider did not answer.

    Raises:
        AnalysisPostponed: try again later. Answers that were paid for are kept.
        DatabaseUnavailable: try again later.
    """
    for _ in range(MOST_ROUNDS):
        async with database.tenant_session(tenant_id) as session:
            work = await _begin(session, database, settings, tenant_id, call_id, job_id)
        if work is None:
            return
        findings = await _analysed(work)
        if findings.can_be_tried_again and not is_last_try:
            async with database.tenant_session(tenant_id) as session:
                await _postpone(session, tenant_id, call_id, job_id, findings)
            raise AnalysisPostponed(findings.errors[-1].message)
        async with database.tenant_session(tenant_id) as session:
            if await _finish_if_unchanged(session, tenant_id, call_id, job_id, work, findings):
                return
    raise AnalysisPostponed("the transcript is still growing")


async def give_up_abandoned(database: Database, task_name: str, touched_before: datetime) -> None:
    """Finish analyses that wait for a job ``task_name`` which no longer exists."""
    async with database.system_session() as session:
        abandoned = await repository.abandoned(session, task_name, touched_before)
    message = "The analysis was interrupted; start it again with POST /v1/calls/{call_id}/reprocess"
    interrupted = Findings(errors=(PartError(None, Obstacle.INTERRUPTED, message),))
    for analysis in abandoned:
        if analysis.job_id is None:
            continue
        _log.error("analysis_abandoned", call_id=str(analysis.call_id))
        async with database.tenant_session(analysis.tenant_id) as session:
            locked = await _locked(session, analysis.tenant_id, analysis.call_id, analysis.job_id)
            if locked is None:
                continue
            call, row = locked
            await finish(
                session,
                call,
                row,
                await repository.transcript(session, call.tenant_id, call.id),
                interrupted,
                provider=row.provider or "",
                model=row.model or "",
            )


async def _locked(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, job_id: UUID
) -> tuple[Call, CallAnalysis] | None:
    """The call, locked, and its analysis; ``None`` if ``job_id`` is no longer its analysis."""
    call = await locked_call(session, tenant_id, call_id)
    analysis = await repository.find(session, tenant_id, call_id)
    if call is None or analysis is None or analysis.job_id != job_id:
        return None
    return call, analysis


async def _begin(
    session: AsyncSession,
    database: Database,
    settings: ControlPlaneSettings,
    tenant_id: UUID,
    call_id: UUID,
    job_id: UUID,
) -> _Work | None:
    locked = await _locked(session, tenant_id, call_id, job_id)
    if locked is None:
        return None
    call, analysis = locked
    segments = await repository.transcript(session, tenant_id, call_id)
    assignment = _assignment(call, segments)
    if assignment.is_empty:
        await skip(session, call)
        return None
    analysis.touched_at = datetime.now(UTC)
    analyser = await choose_analyser(
        session, database, settings, tenant_id, job_id, assignment.settings.model
    )
    return _Work(segments, assignment, analyser)


def _assignment(call: Call, segments: Sequence[Segment]) -> Assignment:
    plan = call.frozen_plan()
    return Assignment(
        agent_name=plan.agent.name,
        locale=plan.locale,
        turns=tuple(
            SpokenTurn(
                sequence=segment.sequence,
                speaker=cast(Literal["user", "agent"], segment.speaker),
                text=segment.text,
                started_at_ms=segment.started_at_ms,
            )
            for segment in segments
        ),
        slots=dict(call.collected_slots),
        settings=plan.post_call,
        end_reason=call.end_reason,
        connected_ms=call.connected_ms or 0,
    )


async def _analysed(work: _Work) -> Findings:
    if isinstance(work.analyser, Unavailable):
        return Findings(errors=(work.analyser.error,))
    return await work.analyser.analyse(work.assignment)


async def _postpone(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, job_id: UUID, findings: Findings
) -> None:
    locked = await _locked(session, tenant_id, call_id, job_id)
    if locked is None:
        return
    call, analysis = locked
    now = datetime.now(UTC)
    analysis.touched_at = now
    message = f"The analysis will be tried again: {findings.errors[-1].message}"
    log_event(session, call, "post_call", message, now, "warning")
    await send_lean_once(session, call, analysis)


async def _finish_if_unchanged(
    session: AsyncSession,
    tenant_id: UUID,
    call_id: UUID,
    job_id: UUID,
    work: _Work,
    findings: Findings,
) -> bool:
    """Return ``False`` if the call has changed since the analysis began."""
    locked = await _locked(session, tenant_id, call_id, job_id)
    if locked is None:
        return True
    call, analysis = locked
    segments = await repository.transcript(session, tenant_id, call_id)
    if len(segments) != len(work.segments) or call.collected_slots != work.assignment.slots:
        return False
    analyser = work.analyser
    await finish(
        session,
        call,
        analysis,
        segments,
        findings,
        provider=analyser.provider,
        model=analyser.model,
    )
    return True
