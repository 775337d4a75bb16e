"""Another agent takes over in a call: noted for its bill and its event log."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.calls.ending.served_agents import served_agents
from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.models import Call

_log = structlog.get_logger(__name__)


def note_takeover(
    session: AsyncSession, call: Call, agent_id: UUID, connected_ms: int, at: datetime
) -> None:
    """Note that an agent took over in a running call, which is locked and has its plan loaded.

    Args:
        connected_ms: the connected time at which it did.
        at: when that was, by the worker's clock.
    """
    plan = call.frozen_plan()
    agent = plan.agents.get(agent_id)
    if agent is None:
        _log.error("takeover_not_in_plan", call_id=str(call.id), agent_id=str(agent_id))
        return
    former = served_agents(plan, call.takeovers or ())[-1].agent
    takeover = {"agent_id": str(agent_id), "from_ms": connected_ms}
    call.takeovers = [*(call.takeovers or ()), takeover]
    log_event(
        session,
        call,
        "runtime",
        f"Handoff: {agent.name} ({agent_id}) took over from {former.name} "
        f"({former.agent_id}) after {connected_ms / 1000:.3f} s of connected time",
        at,
    )
