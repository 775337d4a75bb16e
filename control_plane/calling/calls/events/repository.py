"""The queries of applying worker events. For jobs: calls may belong to any tenant."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from uuid import UUID

from sqlalchemy import Update, select, update
from sqlalchemy.dialects.postgresql import Insert, insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import attributes

from control_plane.calling.calls.models import Call, CallParticipant, ParkedEvent
from control_plane.platform.database import Base, storable, table_of
from control_plane.platform.recordset import Rows, recordset, recordset_parameters

_CURSOR = ("applied_seq", "metered_ms", "funded_until_ms")


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
    """Write ``applied_seq`` and the meter of these calls, and nothing else that changed."""
    if not calls:
        return
    rows = [{column: getattr(call, column) for column in ("id", *_CURSOR)} for call in calls]
    # A flush would write the same with a statement for each call.
    with session.no_autoflush:
        await session.execute(_moved_cursors(), recordset_parameters(rows))
    for call in calls:
        for column in _CURSOR:
            attributes.set_committed_value(call, column, getattr(call, column))


@cache
def _moved_cursors() -> Update:
    calls = table_of(Call)
    moved = recordset(calls, ("id", *_CURSOR))
    return (
        update(calls)
        .where(calls.c.id == moved.c.id)
        .values({column: moved.c[column] for column in _CURSOR})
    )


async def insert_rows(session: AsyncSession, model: type[Base], rows: Rows) -> None:
    """Insert rows with the same columns; one whose key is taken is ignored."""
    await session.execute(_insertion(model, tuple(rows[0])), recordset_parameters(rows))


@cache
def _insertion(model: type[Base], columns: tuple[str, ...]) -> Insert:
    table = table_of(model)
    new = recordset(table, columns)
    rows = select(*(new.c[column] for column in columns))
    return insert(table).from_select(columns, rows, include_defaults=False).on_conflict_do_nothing()


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
