"""The agent that a request describes, without saving it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from control_plane.building.agents.documents import checked, own_fields
from control_plane.building.agents.partial_update import merged
from control_plane.building.agents.service import get_agent
from control_plane.platform.tenancy.caller import Caller

UNNAMED = "Agent"
"""The name of an agent that has none yet."""


async def unsaved_agent(
    session: AsyncSession, caller: Caller, agent_id: UUID | None, sent: Mapping[str, Any]
) -> AgentConfig:
    """
    Args:
        agent_id: the stored agent that ``sent`` changes; ``None`` for a new agent.
        sent: fields under their names on the wire, at any depth.

    Raises:
        AgentNotFound: the tenant has no such agent.
        InvalidRequest: a field is unknown or wrong.
    """
    stored: Mapping[str, Any] = {"name": UNNAMED}
    if agent_id is not None:
        stored = (await get_agent(session, caller.tenant_id, agent_id)).config
    return checked(merged(stored, own_fields(sent)))
