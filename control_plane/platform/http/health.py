"""Whether the process lives, and whether it can serve."""

from __future__ import annotations

from fastapi import APIRouter
from sqlalchemy import text

from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.http.dependencies import AppDatabase
from control_plane.platform.http.openapi import problems

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """The process answers."""
    return {"status": "ok"}


@router.get("/readyz", responses=problems(DatabaseUnavailable))
async def readyz(database: AppDatabase) -> dict[str, str]:
    """The process can reach what it needs."""
    async with database.system_session() as session:
        await session.execute(text("SELECT 1"))
    return {"status": "ready"}
