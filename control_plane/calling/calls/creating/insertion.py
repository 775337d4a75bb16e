"""Inserting a new call: its row, its participants and the first lines of its log."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any
from uuid import uuid4

from sqlalchemy import (
    BigInteger,
    Insert,
    Text,
    Uuid,
    bindparam,
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
from control_plane.calling.calls.models import Call, CallLogEntry, CallParticipant
from control_plane.platform.database import table_of


async def insert_call(
    session: AsyncSession,
    plan: CallPlan,
    document: str,
    status: CallStatus,
    participants: Sequence[CallParticipant],
    warnings: Sequence[str],
) -> None:
    """Insert a call with its participants and the first lines of its log, in one statement.

    Args:
        document: ``plan`` as JSON.
        participants: of the call, in no session.
        warnings: lines of the event log.
    """
    connection = await session.connection()
    await connection.execute(
        _insertion(),
        {
            "new_id": plan.call_id,
            "new_tenant": plan.tenant_id,
            "new_agent": plan.agent_id,
            "new_room": plan.room_name,
            "new_status": status.value,
            "new_time": plan.created_at,
            "new_metadata": plan.metadata,
            "new_plan": document,
            "new_people": [_person(each) for each in participants],
            "new_lines": [
                _line("info", "Call created"),
                *(_line("warning", warning) for warning in warnings),
            ],
        },
    )


def _person(participant: CallParticipant) -> dict[str, Any]:
    return {
        "id": str(participant.id),
        "position": participant.position,
        "role": participant.role,
        "transport": participant.transport,
        "identity": participant.identity,
        "status": participant.status,
        "metadata": participant.details,
    }


def _line(level: str, message: str) -> dict[str, Any]:
    return {"id": str(uuid4()), "level": level, "message": message}


@cache
def _insertion() -> Insert:
    """The values are bound by name. Kept, because building it takes longer than running it."""
    tenant, call_id = bindparam("new_tenant", type_=Uuid), bindparam("new_id", type_=Uuid)
    time = bindparam("new_time", type_=table_of(Call).c.created_at.type)
    call = insert(table_of(Call)).values(
        id=call_id,
        tenant_id=tenant,
        agent_id=bindparam("new_agent"),
        room_name=bindparam("new_room"),
        status=bindparam("new_status"),
        created_at=time,
        metadata=bindparam("new_metadata"),
        plan=cast(bindparam("new_plan", type_=Text), JSONB),
        applied_seq=literal(0),
        intelligence_status=literal("pending"),
        collected_slots=literal({}, JSONB),
        usage=literal({}, JSONB),
    )
    people = _records(
        "new_people",
        {
            "id": Uuid(),
            "position": BigInteger(),
            "role": Text(),
            "transport": Text(),
            "identity": Text(),
            "status": Text(),
            "metadata": JSONB(),
        },
    )
    lines = _records("new_lines", {"id": Uuid(), "level": Text(), "message": Text()})
    insert_people = insert(table_of(CallParticipant)).from_select(
        ["tenant_id", "call_id", *people.c.keys()], select(tenant, call_id, *people.c)
    )
    insert_lines = insert(table_of(CallLogEntry)).from_select(
        ["tenant_id", "call_id", "created_at", "source", *lines.c.keys()],
        select(tenant, call_id, time, literal("lifecycle"), *lines.c),
    )
    return call.add_cte(insert_people.cte("people"), insert_lines.cte("lines"))


def _records(name: str, types: dict[str, Any]) -> Any:
    """A list of objects as a table; one value, so that any number of them is one statement."""
    columns = [column(field, type_) for field, type_ in types.items()]
    given = func.jsonb_to_recordset(bindparam(name, type_=JSONB)).table_valued(*columns)
    return given.render_derived(with_types=True)
