"""Store the result of an analysis and queue the webhooks that announce it.

Callers hold a lock on the call's row and have loaded its plan.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from control_plane.calling.calls.events.event_log import Level, log_event
from control_plane.calling.calls.models import Call, Segment
from control_plane.calling.calls.outbox_payloads import add_lean_call_completed
from control_plane.calling.intelligence import repository
from control_plane.calling.intelligence.analysers.findings import Findings, IntelligenceStatus
from control_plane.calling.intelligence.models import CallAnalysis
from control_plane.calling.intelligence.outbox_payloads import (
    add_intelligence_ready,
    add_rich_call_completed,
)


async def skip(session: AsyncSession, call: Call) -> None:
    """Finish the analysis of a call in which there is nothing to analyse."""
    analysis = await _row(session, call)
    if analysis.job_id is not None:
        await repository.delete_paid_answers(session, call.tenant_id, analysis.job_id)
    analysis.job_id = None
    analysis.finished_at = datetime.now(UTC)
    call.intelligence_status = IntelligenceStatus.SKIPPED.value
    if call.status == CallStatus.COMPLETED.value:
        add_rich_call_completed(session, call, analysis)


async def finish(
    session: AsyncSession,
    call: Call,
    analysis: CallAnalysis,
    segments: Sequence[Segment],
    findings: Findings,
    *,
    provider: str,
    model: str,
) -> None:
    """Store ``findings`` and queue the webhooks.

    An analysis that found nothing does not overwrite the results of an earlier one.

    Args:
        segments: the transcript that the findings were made from.
    """
    await _add_usage(session, call, analysis, f"{provider}/{model}")
    analysis.job_id = None
    analysis.finished_at = datetime.now(UTC)
    analysis.errors = [error.document() for error in findings.errors]
    call.intelligence_status = findings.status.value
    if findings.has_any:
        analysis.segments = len(segments)
        analysis.provider, analysis.model = provider, model
        analysis.summary = findings.summary
        analysis.sentiment = findings.sentiment
        analysis.structured_data = findings.structured_data
        evaluation = findings.evaluation
        analysis.evaluation = None if evaluation is None else evaluation.model_dump(mode="json")
    _log(session, call, findings, f"{provider} {model}")
    if call.status == CallStatus.COMPLETED.value:
        add_rich_call_completed(session, call, analysis)
    add_intelligence_ready(session, call, analysis)
    await session.flush()


async def send_lean_once(session: AsyncSession, call: Call, analysis: CallAnalysis) -> None:
    """Send the lean ``call.completed``, because the analysis has to wait.

    Does nothing if a ``call.completed``, lean or rich, was sent for this call before.
    """
    if (
        call.status != CallStatus.COMPLETED.value
        or analysis.lean_sent_at is not None
        or analysis.finished_at is not None
    ):
        return
    analysis.lean_sent_at = datetime.now(UTC)
    add_lean_call_completed(session, call)


async def _row(session: AsyncSession, call: Call) -> CallAnalysis:
    analysis = await repository.find(session, call.tenant_id, call.id)
    if analysis is None:
        analysis = CallAnalysis(
            call_id=call.id, tenant_id=call.tenant_id, errors=[], usage={}, segments=0
        )
        session.add(analysis)
    return analysis


async def _add_usage(session: AsyncSession, call: Call, analysis: CallAnalysis, model: str) -> None:
    """Add the usage of the analysis to that of earlier ones, and delete its stored answers."""
    if analysis.job_id is None:
        return
    requests, input_tokens, output_tokens = await repository.paid_totals(
        session, call.tenant_id, analysis.job_id
    )
    if requests:
        before = analysis.usage.get(model, {})
        spent = {
            "requests": requests,
            "input_tokens": input_tokens,
            "output_tokens": output_tokens,
        }
        total = {name: before.get(name, 0) + amount for name, amount in spent.items()}
        analysis.usage = analysis.usage | {model: total}
    await repository.delete_paid_answers(session, call.tenant_id, analysis.job_id)


def _log(session: AsyncSession, call: Call, findings: Findings, analyser: str) -> None:
    found = {
        "summary": findings.summary,
        "structured data": findings.structured_data,
        "evaluation": findings.evaluation,
    }
    names = ", ".join(name for name, value in found.items() if value is not None)
    now = datetime.now(UTC)
    if names:
        log_event(session, call, "post_call", f"Analysed by {analyser}: {names}", now)
    for error in findings.errors:
        level: Level = "warning" if names else "error"
        about = f"{error.part.value.replace('_', ' ').capitalize()}: " if error.part else ""
        log_event(session, call, "post_call", f"{about}{error.message}", now, level)
