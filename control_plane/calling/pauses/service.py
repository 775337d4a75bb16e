"""Refusing new calls while the operator has stopped them."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.pauses import repository
from control_plane.calling.pauses.errors import AgentAdminPaused, PlatformCallsDisabled


async def check_calls_enabled(session: AsyncSession) -> None:
    """Raises ``PlatformCallsDisabled`` while the operator has stopped all calls."""
    switches = await repository.platform_switches(session)
    if not switches.calls_enabled:
        raise PlatformCallsDisabled(switches.message)


async def check_agent_not_paused(session: AsyncSession, tenant_id: UUID, agent_id: UUID) -> None:
    """Raises ``AgentAdminPaused`` while the operator has paused the agent. An agent that does not
    exist or is deleted counts as not paused."""
    pause = await repository.pause_of(session, tenant_id, agent_id)
    if pause is not None:
        raise AgentAdminPaused(pause.reason)
