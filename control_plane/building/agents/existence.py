"""Telling a foreign agent (403) from none (404), where the specification wants that."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID

from control_plane.building.agents import repository
from control_plane.building.agents.errors import AgentNotFound, AgentOfAnotherTenant
from control_plane.platform.database import Database


@asynccontextmanager
async def foreign_is_forbidden(database: Database, agent_id: UUID) -> AsyncIterator[None]:
    """Around the work on an agent of the caller's tenant.

    Raises:
        AgentOfAnotherTenant: in place of ``AgentNotFound``, if another tenant has the agent.
    """
    try:
        yield
    except AgentNotFound:
        async with database.system_session() as session:
            if await repository.exists_for_any_tenant(session, agent_id):
                raise AgentOfAnotherTenant from None
        raise
