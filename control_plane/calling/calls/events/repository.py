"""The queries of applying worker events. For jobs: calls may belong to any tenant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import attributes

from control_plane.calling.calls.models import Call, CallParticipant, ParkedEvent
from control_plane.platform.database import Base, storable

_CURSOR = ("applied_seq", "metered_ms", "funded_until_ms")

Rows = list[dict[str, Any]]
"""What to insert, by column."""


async def locked_calls(session: AsyncSession, call_ids: Sequence[UUID]) -> Sequence[Call]:
    """These calls without their plans, held until the transaction ends.

    They are locked in one order, the same in every process, so that two groups of calls never wait
    for each other in a circle.
    """
    found = await session.scalars(
        select(Call)
        .where(Call.id.in_(call_ids))
        .order_by(Call.tenant_id, Call.id)
        .with_for_update()
    )
    return found.all()


async def load_plans(session: AsyncSession, calls: Mapping[UUID, Call]) -> None:
    """Load the plans of ``calls``, which are named by their ids."""
    plans = await session.execute(select(Call.id, Call.plan).where(Call.id.in_(calls)))
    for call_id, plan in plans:
        attributes.set_committed_value(calls[call_id], "plan", plan)


async def participants_of(
    session: AsyncSession, call_ids: Iterable[UUID]
) -> Sequence[CallParticipant]:
    found = await session.scalars(
        select(CallParticipant).where(CallParticipant.call_id.in_(call_ids))
    )
    return found.all()


async def move_cursors(session: AsyncSession, calls: Collection[Call]) -> None:
    """Write ``applied_seq`` and the meter of these calls, and nothing else that changed.

    It is one statement, whatever changed in which call; a flush would send several.
    """
    if not calls:
        return
    await session.execute(
        update(Call),
        [{"id": call.id} | {column: getattr(call, column) for column in _CURSOR} for call in calls],
        execution_options={"autoflush": False, "synchronize_session": False},
    )
    for call in calls:
        for column in _CURSOR:
            attributes.set_committed_value(call, column, getattr(call, column))


async def insert_rows(session: AsyncSession, model: type[Base], rows: Rows) -> None:
    """Insert rows with the same columns; one whose key is taken is ignored."""
    await session.execute(insert(model).on_conflict_do_nothing(), rows)


async def add_parked_event(
    session: AsyncSession, stream_entry_id: str, reason: str, document: str
) -> None:
    """Keep an entry of the event stream for the operator. Adding it again changes nothing."""
    await session.execute(
        insert(ParkedEvent)
        .values(
            stream_entry_id=stream_entry_id,
            reason=storable(reason),
            document=storable(document),
        )
        .on_conflict_do_nothing()
    )
