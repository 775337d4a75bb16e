"""The agent that a request describes, without saving it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from control_plane.building.agents.documents import checked, own_fields
from control_plane.building.agents.knowledge.pages import Pages, kept_pages
from control_plane.building.agents.partial_update import merged
from control_plane.building.agents.service import get_agent
from control_plane.platform.tenancy.caller import Caller

UNNAMED = "Agent"
"""The name of an agent that has none yet."""


async def unsaved_agent(
    session: AsyncSession, caller: Caller, agent_id: UUID | None, sent: Mapping[str, Any]
) -> tuple[AgentConfig, Pages]:
    """
    Args:
        agent_id: the stored agent that ``sent`` changes; ``None`` for a new agent.
        sent: fields under their names on the wire, at any depth.

    Returns:
        Its configuration, and those of the stored agent's pages that it names.

    Raises:
        AgentNotFound: the tenant has no such agent.
        InvalidRequest: a field is unknown or wrong.
    """
    stored: Mapping[str, Any] = {"name": UNNAMED}
    pages: Pages = ()
    if agent_id is not None:
        agent = await get_agent(session, caller.tenant_id, agent_id)
        stored, pages = agent.config, agent.pages
    config = checked(merged(stored, own_fields(sent)))
    return config, kept_pages(config, pages, ())
