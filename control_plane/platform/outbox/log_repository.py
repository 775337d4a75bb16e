"""The queries on the outbox as a log. For jobs: they concern every tenant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, text
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform.outbox.facts import Fact

READER = "notifying"
"""All consumers share one cursor."""

# A transaction ends within seconds, so a fact that was not read yet cannot be a day older than the
# last one that was: the condition on its time leaves out the partitions of other days.
_UNREAD = """
    FROM outbox_events
    WHERE (transaction_id, position) > (CAST(:transaction_id AS xid8), :position)
        AND occurred_at > CAST(:read_until AS timestamptz) - interval '1 day'
"""
UNREAD = text(
    f"""
    SELECT id, tenant_id, event, data, origin, occurred_at, position,
        CAST(transaction_id::text AS bigint) AS transaction_id
    {_UNREAD}
        AND outbox_events.transaction_id < pg_snapshot_xmin(pg_current_snapshot())
    ORDER BY outbox_events.transaction_id, position
    LIMIT :limit
    """
)
ANY_UNREAD = text(f"SELECT EXISTS (SELECT 1 {_UNREAD})")
OLDEST_UNREAD = text(f"SELECT occurred_at {_UNREAD} ORDER BY transaction_id, position LIMIT 1")
_START = datetime(1970, 1, 2, tzinfo=UTC)


@dataclass(frozen=True)
class Cursor:
    """The last fact that was read: its place in the log, and its time."""

    transaction_id: int = 0
    position: int = 0
    read_until: datetime = _START

    def after(self, fact: Fact) -> Cursor:
        return Cursor(fact.transaction_id, fact.position, fact.occurred_at)


async def lock_cursor(session: AsyncSession) -> Cursor | None:
    """The cursor, for this transaction alone; ``None`` while another process reads."""
    query = f"{_CURSOR} FOR UPDATE SKIP LOCKED"
    found = (await session.execute(text(query), {"reader": READER})).one_or_none()
    if found is not None:
        return _cursor(found)
    # The row is locked, or nothing was ever read.
    return await _first_cursor(session)


async def move_cursor(session: AsyncSession, cursor: Cursor) -> None:
    await session.execute(
        text(
            "UPDATE outbox_cursors SET transaction_id = CAST(:transaction_id AS xid8),"
            " position = :position, read_until = :read_until WHERE reader = :reader"
        ),
        {**_values(cursor), "reader": READER},
    )


async def unread(session: AsyncSession, cursor: Cursor, limit: int) -> Sequence[Fact]:
    """The next facts of transactions that no running one can precede any more."""
    # Every cursor has the same plan. In a long log PostgreSQL would make it for each read, which
    # takes twice as long as the rest of the read.
    await session.execute(text("SET LOCAL plan_cache_mode = force_generic_plan"))
    rows = await session.execute(UNREAD, {**_values(cursor), "limit": limit})
    facts = [Fact(**row) for row in rows.mappings()]
    if facts:
        # Consumers write in the same transaction.
        await session.execute(text("SET LOCAL plan_cache_mode = auto"))
    return facts


async def is_behind(session: AsyncSession, cursor: Cursor) -> bool:
    """Whether there is a fact after ``cursor``, even if a running transaction may precede it."""
    return bool(await session.scalar(ANY_UNREAD, _values(cursor)))


async def oldest_unread(session: AsyncSession) -> datetime | None:
    """When the first fact occurred that no reader has seen; ``None`` without one."""
    found = (await session.execute(text(_CURSOR), {"reader": READER})).one_or_none()
    cursor = Cursor() if found is None else _cursor(found)
    oldest: datetime | None = await session.scalar(OLDEST_UNREAD, _values(cursor))
    return oldest


async def make_days(session: AsyncSession, ahead: int) -> Sequence[str]:
    """Create the partitions of today and of ``ahead`` more days that do not exist yet; returns
    their names."""
    made = await session.scalars(
        text("SELECT switchboard_make_outbox_days(:ahead)"), {"ahead": ahead}
    )
    return made.all()


async def drop_days(session: AsyncSession, before: datetime) -> Sequence[str]:
    """Drop the partitions of days that ended before ``before``, and delete older facts that have
    no partition of their own; returns the partitions' names."""
    dropped = await session.scalars(
        text("SELECT switchboard_drop_outbox_days(:before)"), {"before": before}
    )
    names = dropped.all()
    midnight = before.replace(hour=0, minute=0, second=0, microsecond=0)
    await session.execute(
        text("DELETE FROM outbox_events WHERE occurred_at < :midnight"), {"midnight": midnight}
    )
    return names


_CURSOR = """
    SELECT CAST(transaction_id::text AS bigint) AS transaction_id, position, read_until
    FROM outbox_cursors WHERE reader = :reader
"""


async def _first_cursor(session: AsyncSession) -> Cursor | None:
    first = Cursor()
    made = await session.scalar(
        text(
            "INSERT INTO outbox_cursors (reader, transaction_id, position, read_until)"
            " VALUES (:reader, CAST(:transaction_id AS xid8), :position, :read_until)"
            " ON CONFLICT DO NOTHING RETURNING reader"
        ),
        {**_values(first), "reader": READER},
    )
    return None if made is None else first


def _cursor(row: Row[Any]) -> Cursor:
    return Cursor(row.transaction_id, row.position, row.read_until)


def _values(cursor: Cursor) -> dict[str, Any]:
    return {
        # As text: no driver knows the type.
        "transaction_id": str(cursor.transaction_id),
        "position": cursor.position,
        "read_until": cursor.read_until,
    }
