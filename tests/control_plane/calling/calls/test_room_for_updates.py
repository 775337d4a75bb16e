"""What changes during a call is written without touching an index (HOT).

``python -m bench.hot_updates`` measures it.
"""

from __future__ import annotations

import re

from sqlalchemy import text

from control_plane.platform.database import Database

CHANGING_WITH_EACH_EVENT = {
    "calls": {"applied_seq", "metered_ms", "funded_until_ms", "usage"},
    "call_reserves": {"held_micros"},
    "billing_accounts": {"held_micros", "free_micros", "purchased_micros"},
    "dialing_jobs": {"stage", "stage_at"},
}


async def test_no_index_has_a_column_that_changes_with_each_event(database: Database) -> None:
    async with database.system_session() as session:
        for table, columns in CHANGING_WITH_EACH_EVENT.items():
            indexes = await session.scalars(
                text("SELECT indexdef FROM pg_indexes WHERE tablename = :table"), {"table": table}
            )
            for definition in indexes:
                assert not set(re.findall(r"\w+", definition)) & columns, definition


async def test_pages_keep_room_for_the_rows_that_change_during_a_call(database: Database) -> None:
    async with database.system_session() as session:
        for table in ("calls", "call_participants", "call_reserves", "dialing_jobs"):
            options = await session.scalar(
                text("SELECT reloptions FROM pg_class WHERE oid = CAST(:table AS regclass)"),
                {"table": table},
            )
            assert options is not None
            assert "fillfactor=80" in options
