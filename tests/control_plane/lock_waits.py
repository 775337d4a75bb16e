"""Who waits for whose locks in PostgreSQL."""

from __future__ import annotations

from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.platform.database import Database


async def backend_of(session: AsyncSession) -> int:
    pid: int = (await session.scalars(text("SELECT pg_backend_pid()"))).one()
    return pid


async def waits_for(database: Database, pid: int) -> bool:
    """Whether somebody waits for a lock of this backend."""
    waiting = text("SELECT count(*) FROM pg_stat_activity WHERE :pid = ANY(pg_blocking_pids(pid))")
    async with database.system_session() as session:
        return bool(await session.scalar(waiting, {"pid": pid}))


async def until_somebody_waits(database: Database) -> None:
    """For any lock, of any backend."""
    waiting = text("SELECT count(*) FROM pg_locks WHERE NOT granted")
    while True:
        async with database.system_session() as session:
            if await session.scalar(waiting):
                return
