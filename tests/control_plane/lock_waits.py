"""Waits for another transaction, seen from outside."""

from __future__ import annotations

from sqlalchemy import text

from control_plane.platform.database import Database

_WAITING = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


async def until_somebody_waits(database: Database) -> None:
    while True:
        async with database.system_session() as session:
            if await session.scalar(_WAITING):
                return
