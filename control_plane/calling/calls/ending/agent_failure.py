"""``agent.failed``: a fatal error while an agent ran (API spec, "Events")."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.end_reasons import EndReason
from control_plane.calling.calls.models import Call
from control_plane.platform.outbox.events import add_notification_event

AGENT_FAILURES = frozenset(
    {
        EndReason.NO_PROVIDER_CONNECTED,
        EndReason.SESSION_START_FAILED,
        EndReason.SESSION_ERROR,
        EndReason.WORKER_ERROR,
    }
)
"""The end reasons that stop the agent itself. A caller who never joined and a spent balance are not
failures of the agent."""


def report_agent_failure(
    session: AsyncSession, call: Call, reason: EndReason, detail: str | None
) -> None:
    """Add the notification if the call ended because its agent could not go on."""
    if reason not in AGENT_FAILURES:
        return
    name = call.frozen_plan().agent.name
    add_notification_event(
        session,
        call.tenant_id,
        "agent.failed",
        title=f"{name} failed during a call",
        message=f"A call of {name} ended with {reason.value}" + (f": {detail}" if detail else "."),
        metadata={
            "agent_id": str(call.agent_id),
            "call_id": str(call.id),
            "reason": reason.value,
        },
    )
