"""The hook through which higher floors act when an agent is copied, in the same transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

AgentCopied = Callable[[AsyncSession, UUID, UUID, UUID], Awaitable[None]]
"""Takes a session and the ids of the tenant, the agent and its copy."""


async def _on_agent_copied(request: Request) -> AgentCopied:
    copied: AgentCopied = request.app.state.on_agent_copied
    return copied


OnAgentCopied = Annotated[AgentCopied, Depends(_on_agent_copied)]
