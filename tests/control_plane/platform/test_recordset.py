"""Rows that come in one parameter have the types of their columns."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

from sqlalchemy import select

from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database, table_of
from control_plane.platform.recordset import recordset, recordset_parameters

COLUMNS = ("id", "created_at", "applied_seq", "metered_ms", "room_name")


async def test_values_come_back_as_they_were(database: Database) -> None:
    rows = recordset(table_of(Call), COLUMNS)
    sent = [
        (uuid4(), datetime(2026, 1, 2, 3, 4, 5, 678, UTC), 2**53 + 1, None, "Anna’s “room” \\ \n"),
        (UUID(int=0), datetime(1999, 12, 31, tzinfo=UTC), -1, 0, ""),
    ]
    parameters = recordset_parameters([dict(zip(COLUMNS, row, strict=True)) for row in sent])
    async with database.system_session() as session:
        found = await session.execute(select(*(rows.c[name] for name in COLUMNS)), parameters)
        assert [tuple(row) for row in found] == sent
