"""The hook through which higher floors act when an agent is deleted, in the same transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

AgentDeleted = Callable[[AsyncSession, UUID, UUID], Awaitable[None]]
"""Takes a session, the tenant's id and the agent's id."""


async def _on_agent_deleted(request: Request) -> AgentDeleted:
    deleted: AgentDeleted = request.app.state.on_agent_deleted
    return deleted


OnAgentDeleted = Annotated[AgentDeleted, Depends(_on_agent_deleted)]
