"""From a visitor's new call to the answer that lets them join it."""

from __future__ import annotations

import structlog
from fastapi import BackgroundTasks

from control_plane.calling.calls.creating.new_call import NewCall
from control_plane.calling.calls.creating.services import CreatingServices
from control_plane.calling.calls.participants.views import joining_view
from control_plane.calling.sharing.visiting.schemas import SharedCallCreated


def dispatched(
    new: NewCall, services: CreatingServices, after_commit: BackgroundTasks
) -> SharedCallCreated:
    """
    Args:
        new: committed; it is offered to the workers after the answer.
    """
    plan = new.plan
    structlog.contextvars.bind_contextvars(call_id=str(plan.call_id))
    after_commit.add_task(
        services.dispatcher.dispatch, services.redis, new.plan_document, new.dispatch_weight
    )
    return SharedCallCreated(
        id=plan.call_id,
        name=plan.agent.persona.name or plan.agent.name,
        max_call_seconds=plan.limits.max_duration_seconds,
        access=joining_view(new.participants[0], services.settings).access,
    )
