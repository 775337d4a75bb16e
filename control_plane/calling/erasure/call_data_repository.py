"""Deletes what was said and recorded in calls that are over; the calls and their bills stay.

For jobs, over every tenant: each query takes the tenant. None commits.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Text,
    and_,
    case,
    cast,
    delete,
    func,
    literal,
    literal_column,
    null,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.batches.models import BatchRow
from control_plane.calling.calls.models import (
    Call,
    CallLogEntry,
    CallParticipant,
    ParkedEvent,
    Segment,
    TurnLatencies,
)
from control_plane.calling.dialing.models import INBOUND, DialingJob
from control_plane.calling.intelligence.models import CallAnalysis, PaidAnswer
from control_plane.calling.recordings.models import Recording
from control_plane.platform.database import Base, table_of
from control_plane.platform.outbox.models import OutboxEvent

ERASED = "erased"
"""Stands in place of a number or identity that was erased."""

Removed = dict[str, dict[str, Any]]
"""By table: how many ``rows`` were deleted, and the ``sha256`` of what they held."""

_NOTHING_FOUND: dict[str, Any] = {
    "segments": 0,
    "provider": None,
    "model": None,
    "summary": None,
    "sentiment": None,
    "structured_data": null(),
    "evaluation": null(),
    "errors": [],
}
_CALL_OF_EVENT = OutboxEvent.data["call_id"].astext


async def delete_transcripts(
    session: AsyncSession, tenant_id: UUID, call_ids: Sequence[UUID]
) -> Removed:
    """Delete the transcripts, what was derived from them, and the events that carry them. An
    analysis that is under way finds nothing any more, and ends."""
    locked = select(Call.id).where(Call.tenant_id == tenant_id, Call.id.in_(call_ids))
    await session.execute(locked.order_by(Call.id).with_for_update())
    analysed_by = select(CallAnalysis.job_id).where(*_of(CallAnalysis, tenant_id, call_ids))
    removed = {
        **await _delete(
            session,
            PaidAnswer,
            [PaidAnswer.tenant_id == tenant_id, PaidAnswer.job_id.in_(analysed_by)],
        )
    }
    analyses = _of(CallAnalysis, tenant_id, call_ids)
    removed |= await _delete(session, CallAnalysis, [*analyses, CallAnalysis.job_id.is_(None)])
    # Without its row the job would not go on, and nobody would be told that the call is over.
    await _change(session, CallAnalysis, analyses, _NOTHING_FOUND)
    for model in (Segment, TurnLatencies):
        removed |= await _delete(session, model, _of(model, tenant_id, call_ids))
    removed |= await delete_outbox_events(
        session, tenant_id, call_ids, OutboxEvent.data.has_key("transcript")
    )
    await session.execute(
        update(Call)
        .where(Call.tenant_id == tenant_id, Call.id.in_(call_ids), Call.collected_slots != {})
        .values(collected_slots={})
        .execution_options(synchronize_session=False)
    )
    return removed


async def delete_event_logs(
    session: AsyncSession, tenant_id: UUID, call_ids: Sequence[UUID]
) -> Removed:
    """Delete the event logs, and the events that were kept for the operator."""
    named = or_(*(ParkedEvent.document.contains(str(call_id)) for call_id in call_ids))
    return {
        **await _delete(session, CallLogEntry, _of(CallLogEntry, tenant_id, call_ids)),
        **await _delete(session, ParkedEvent, [named]),
    }


async def delete_outbox_events(
    session: AsyncSession,
    tenant_id: UUID,
    call_ids: Sequence[UUID],
    *conditions: ColumnElement[bool],
) -> Removed:
    wanted = _CALL_OF_EVENT.in_([str(call_id) for call_id in call_ids])
    return await _delete(
        session, OutboxEvent, [OutboxEvent.tenant_id == tenant_id, wanted, *conditions]
    )


async def delete_recordings(
    session: AsyncSession, tenant_id: UUID, call_ids: Sequence[UUID]
) -> Removed:
    """Delete the rows; the audio is in the object store."""
    return await _delete(session, Recording, _of(Recording, tenant_id, call_ids))


async def forget_caller(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, caller: str, at: datetime
) -> dict[str, int]:
    """Remove the caller, and all free text, from the rows of a call that stay for its bill.

    Returns:
        How many rows were changed, by table.
    """
    changed = {
        "call_participants": await _change(
            session,
            CallParticipant,
            [CallParticipant.call_id == call_id, CallParticipant.identity == caller],
            {"identity": ERASED, "details": {}},
        ),
        "dialing_jobs": await _forget_number(session, tenant_id, call_id, caller),
    }
    call = await session.get_one(Call, call_id, populate_existing=True)
    plan = await session.scalar(select(Call.plan).where(Call.id == call_id))
    call.details, call.collected_slots, call.client_address = {}, {}, None
    call.feedback = None
    call.erased_at = at
    call.plan = _without_caller(plan or {}, caller)
    await session.flush()
    return changed | {"calls": 1}


async def forget_recipient(session: AsyncSession, tenant_id: UUID, number: str) -> int:
    """Remove the number from all batches; one whose call was not created yet is not called."""
    rows = [BatchRow.tenant_id == tenant_id, BatchRow.recipient["to"].astext == number]
    await _change(
        session,
        BatchRow,
        [*rows, BatchRow.call_id.is_(None), BatchRow.refusal_code.is_(None)],
        {"refusal_code": "canceled", "refusal": "The caller's data was erased"},
    )
    return await _change(session, BatchRow, rows, {"recipient": {"to": ERASED}})


async def _forget_number(session: AsyncSession, tenant_id: UUID, call_id: UUID, caller: str) -> int:
    """Who was called, or called us, is the caller. The other number of a leg is the tenant's."""
    called = DialingJob.to_number == caller
    called_us = and_(DialingJob.direction == INBOUND, DialingJob.from_number == caller)
    return await _change(
        session,
        DialingJob,
        [DialingJob.tenant_id == tenant_id, DialingJob.call_id == call_id, or_(called, called_us)],
        {
            "to_number": case((called, ERASED), else_=DialingJob.to_number),
            "from_number": case((called_us, ERASED), else_=DialingJob.from_number),
        },
    )


def _without_caller(plan: dict[str, Any], caller: str) -> dict[str, Any]:
    participants = [
        each | {"identity": ERASED} if each.get("identity") == caller else each
        for each in plan.get("participants", [])
    ]
    handoffs = [each | {"compiled_prompt": ""} for each in plan.get("handoffs", ())]
    return plan | {
        "participants": participants,
        "compiled_prompt": "",
        "variables": {},
        "metadata": {},
        **({"handoffs": handoffs} if handoffs else {}),
    }


def _of(model: type[Base], tenant_id: UUID, call_ids: Sequence[UUID]) -> list[ColumnElement[bool]]:
    columns = table_of(model).c
    return [columns.tenant_id == tenant_id, columns.call_id.in_(call_ids)]


async def _delete(
    session: AsyncSession, model: type[Base], where: Sequence[ColumnElement[bool]]
) -> Removed:
    """Delete rows. Their hash is that of their texts in PostgreSQL, sorted, one a line."""
    table = table_of(model)
    gone = (
        delete(table).where(*where).returning(cast(literal_column(table.name), Text).label("line"))
    ).cte("gone")
    lines = func.string_agg(gone.c.line, aggregate_order_by(literal_column("E'\\n'"), gone.c.line))
    digest = func.encode(func.sha256(func.convert_to(lines, "UTF8")), "hex")
    rows, sha256 = (await session.execute(select(func.count(), digest).select_from(gone))).one()
    return {table.name: {"rows": rows, "sha256": sha256}} if rows else {}


async def _change(
    session: AsyncSession,
    model: type[Base],
    where: Sequence[ColumnElement[bool]],
    values: dict[str, Any],
) -> int:
    changed = await session.scalars(
        update(model)
        .where(*where)
        .values(values)
        .execution_options(synchronize_session=False)
        .returning(literal(1))
    )
    return len(changed.all())
