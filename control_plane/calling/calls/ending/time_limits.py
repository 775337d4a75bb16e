"""Whose limit has ended a call that became too long. Pure."""

from __future__ import annotations

from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason


def reason_of(reported: EndReason, plan: CallPlan) -> EndReason:
    """The end reason that a worker has reported, unless the call reached another limit of its
    duration than the agent's own: the worker knows only the shorter one of both."""
    agents_own = plan.agent.advanced.max_call_duration_seconds
    if reported is EndReason.MAX_CALL_DURATION and plan.limits.max_duration_seconds < agents_own:
        return EndReason.TIME_LIMIT_EXCEEDED
    return reported
