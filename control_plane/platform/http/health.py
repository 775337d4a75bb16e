"""Health checks: is the process running, and can it serve requests?"""

from __future__ import annotations

from fastapi import APIRouter

from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.http.dependencies import AppDatabase
from control_plane.platform.http.openapi import problems

router = APIRouter(tags=["health"])


@router.get("/healthz")
async def healthz() -> dict[str, str]:
    """Check that the process is running."""
    return {"status": "ok"}


@router.get("/readyz", responses=problems(DatabaseUnavailable))
async def readyz(database: AppDatabase) -> dict[str, str]:
    """Check that the process can serve requests, which needs the database."""
    await database.ping()
    return {"status": "ready"}
