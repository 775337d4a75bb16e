"""Writing a new call down: its row, its people, the beginning of its log, the hold on credit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import uuid4

from sqlalchemy import (
    BigInteger,
    Insert,
    Text,
    Uuid,
    cast,
    column,
    func,
    insert,
    literal,
    select,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import CallPlan
from contracts.call_status import CallStatus
from control_plane.billing import service as billing
from control_plane.billing.reserve import FIRST_RESERVE_SECONDS
from control_plane.calls.models import Call, CallLogEntry, CallParticipant


async def insert_call(
    session: AsyncSession,
    plan: CallPlan,
    document: str,
    status: CallStatus,
    participants: Sequence[CallParticipant],
    warnings: Sequence[str],
) -> None:
    """Insert everything that a new call is made of, and hold its first increment, at once.

    The tenant's other calls wait from the hold to the commit. Therefore it is one statement, and
    whatever can be done before it should be.

    Args:
        document: ``plan`` as JSON.
        participants: of the call, in no session.
        warnings: lines of the event log.

    Raises:
        InsufficientCredits: the increment cannot be reserved; the transaction must not commit.
    """
    await billing.reserve(
        session,
        plan.tenant_id,
        plan.call_id,
        FIRST_RESERVE_SECONDS,
        plan.rate_micros_per_minute,
        along_with=(
            _call(plan, document, status),
            _participants(plan, participants),
            _log_entries(plan, warnings),
        ),
    )


def _call(plan: CallPlan, document: str, status: CallStatus) -> Insert:
    return insert(Call).values(
        id=plan.call_id,
        tenant_id=plan.tenant_id,
        agent_id=plan.agent_id,
        room_name=plan.room_name,
        status=status.value,
        created_at=plan.created_at,
        metadata=plan.metadata,
        plan=cast(literal(document, Text), JSONB),
        # SQLAlchemy works out a model's own defaults for the outermost statement only.
        applied_seq=0,
        intelligence_status="pending",
        collected_slots={},
        usage={},
    )


def _participants(plan: CallPlan, participants: Sequence[CallParticipant]) -> Insert:
    columns = ("id", "position", "role", "transport", "identity", "status", "metadata")
    rows = [
        {
            "id": str(each.id),
            "position": each.position,
            "role": each.role,
            "transport": each.transport,
            "identity": each.identity,
            "status": each.status,
            "metadata": each.details,
        }
        for each in participants
    ]
    given = _rows(
        rows,
        column("id", Uuid),
        column("position", BigInteger),
        *(column(name, Text) for name in columns[2:-1]),
        column("metadata", JSONB),
    )
    shown = [given.c[name] for name in columns]
    return insert(CallParticipant).from_select(
        ["tenant_id", "call_id", *columns],
        select(literal(plan.tenant_id), literal(plan.call_id), *shown),
    )


def _log_entries(plan: CallPlan, warnings: Sequence[str]) -> Insert:
    rows = [
        {"id": str(uuid4()), "level": "info", "message": "Call created"},
        *({"id": str(uuid4()), "level": "warning", "message": each} for each in warnings),
    ]
    given = _rows(rows, column("id", Uuid), column("level", Text), column("message", Text))
    return insert(CallLogEntry).from_select(
        ["tenant_id", "call_id", "source", "created_at", "id", "level", "message"],
        select(
            literal(plan.tenant_id),
            literal(plan.call_id),
            literal("lifecycle"),
            literal(plan.created_at),
            given.c.id,
            given.c.level,
            given.c.message,
        ),
    )


def _rows(rows: list[dict[str, Any]], *columns: Any) -> Any:
    """``rows`` as a table. As one value, so that any number of them is the same statement."""
    given = func.jsonb_to_recordset(literal(rows, JSONB)).table_valued(*columns)
    return given.render_derived(with_types=True)
