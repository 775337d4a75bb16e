"""Health checks: is the process running, and can it serve requests?"""

from __future__ import annotations

import asyncio
from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.http.dependencies import AppDatabase
from control_plane.platform.http.openapi import problems
from control_plane.platform.link.event_shards import events_are_applied
from control_plane.platform.link.job_beats import roles_without_process
from control_plane.platform.link.link import AppLink
from link.connection import LINK_ERRORS

LINK_SECONDS = 1.0
"""How long the check waits for Redis."""

router = APIRouter(tags=["health"])


class Readiness(BaseModel):
    status: Literal["ready"] = "ready"
    warnings: list[str]


@router.get("/healthz", summary="Check that the process lives")
async def healthz() -> dict[str, str]:
    """Check that the process is running."""
    return {"status": "ok"}


@router.get(
    "/readyz", summary="Check that the process can serve", responses=problems(DatabaseUnavailable)
)
async def readyz(database: AppDatabase, link: AppLink) -> Readiness:
    """Check that the process can serve requests, which needs the database.

    `warnings` lists what else is wrong with the installation: other API processes could not serve
    better, so a load balancer must not leave this one out."""
    await database.ping()
    try:
        async with asyncio.timeout(LINK_SECONDS):
            applied = await events_are_applied(link.redis)
            undone = await roles_without_process(link.redis)
    except LINK_ERRORS:
        return Readiness(warnings=["Redis does not answer."])
    warnings = [] if applied else ["No jobs process applies the events of calls."]
    if undone:
        warnings.append(
            f"No jobs process does {', '.join(sorted(undone))}, or it ends again and again."
        )
    return Readiness(warnings=warnings)
