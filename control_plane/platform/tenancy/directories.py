"""What lower floors need to know about a tenant's agents and calls, which belong to higher floors.

A key names agents, and the balance says whether a tenant has agents and calls, but their code may
not import upwards. The application implements these protocols with the repositories of agents and
calls.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Annotated, Protocol
from uuid import UUID

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession


class AgentDirectory(Protocol):
    async def existing_ids(
        self, session: AsyncSession, tenant_id: UUID, agent_ids: Collection[UUID]
    ) -> set[UUID]:
        """The ids in ``agent_ids`` that belong to the tenant's agents."""
        ...

    async def has_agents(self, session: AsyncSession, tenant_id: UUID) -> bool:
        """Whether the tenant has an agent that is not deleted."""
        ...


class CallDirectory(Protocol):
    async def has_calls(self, session: AsyncSession, tenant_id: UUID) -> bool:
        """Whether the tenant has ever created a call."""
        ...


async def _agents(request: Request) -> AgentDirectory:
    agents: AgentDirectory = request.app.state.agent_directory
    return agents


async def _calls(request: Request) -> CallDirectory:
    calls: CallDirectory = request.app.state.call_directory
    return calls


Agents = Annotated[AgentDirectory, Depends(_agents)]
Calls = Annotated[CallDirectory, Depends(_calls)]
