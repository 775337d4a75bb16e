"""The hook through which higher floors act when a version of an agent is published, in the same
transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.models import AgentVersion

VersionPublished = Callable[[AsyncSession, AgentVersion], Awaitable[None]]
"""Takes the session and the version, which new calls run from its commit on."""


async def _on_version_published(request: Request) -> VersionPublished:
    published: VersionPublished = request.app.state.on_version_published
    return published


OnVersionPublished = Annotated[VersionPublished, Depends(_on_version_published)]
