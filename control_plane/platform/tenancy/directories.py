"""What lower floors ask about a tenant's agents and calls, which stand on higher ones.

A key names agents, and the balance says whether a tenant has agents and calls, but neither may
import upwards. The application puts the repositories of agents and calls behind these protocols.
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
        """Those of ``agent_ids`` that are agents of the tenant."""
        ...

    async def has_agents(self, session: AsyncSession, tenant_id: UUID) -> bool:
        """Whether the tenant has an agent that is not deleted."""
        ...


class CallDirectory(Protocol):
    async def has_calls(self, session: AsyncSession, tenant_id: UUID) -> bool:
        """Whether the tenant ever created a call."""
        ...


async def _agents(request: Request) -> AgentDirectory:
    agents: AgentDirectory = request.app.state.agent_directory
    return agents


async def _calls(request: Request) -> CallDirectory:
    calls: CallDirectory = request.app.state.call_directory
    return calls


Agents = Annotated[AgentDirectory, Depends(_agents)]
Calls = Annotated[CallDirectory, Depends(_calls)]
