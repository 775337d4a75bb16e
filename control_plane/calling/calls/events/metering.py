"""A reading of a call's meter extends the reserve, which stays ahead of the connected time."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.commands import EndCall
from contracts.end_reasons import EndReason
from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.models import Call
from control_plane.money.billing import service as billing
from control_plane.money.billing.reserve import reserve_seconds_needed
from pipelines.texts.phrases import farewell


def is_covered(call: Call, connected_ms: int) -> bool:
    """Whether an earlier reading already extended the reserve to ``connected_ms``.

    Then the ledger is not needed. Never true while the call is being ended for lack of credit.
    """
    return (
        reserve_seconds_needed(connected_ms) <= reserve_seconds_needed(call.metered_ms or 0)
        and call.end_requested_reason != EndReason.INSUFFICIENT_FUNDS.value
    )


async def meter(
    session: AsyncSession, call: Call, connected_ms: int, at: datetime
) -> EndCall | None:
    """Record a reading of a running call: locked, with its plan loaded unless ``is_covered``.

    Returns:
        The command to say goodbye and end the call, if the tenant cannot pay for more. It is sent
        with each reading until the call ends, because a command can get lost; a worker that is
        already ending the call ignores it.
    """
    covered = is_covered(call, connected_ms)
    call.metered_ms = max(call.metered_ms or 0, connected_ms)
    if covered:
        return None
    plan = call.frozen_plan()
    if await billing.extend(
        session,
        call.tenant_id,
        call.id,
        reserve_seconds_needed(connected_ms),
        plan.rate_micros_per_minute,
    ):
        return None
    reason = EndReason.INSUFFICIENT_FUNDS
    if call.end_requested_at is None:
        call.end_requested_at = at
        call.end_requested_reason = reason.value
        log_event(
            session,
            call,
            "billing",
            "The balance does not allow another 30 seconds: the agent says goodbye",
            at,
            "warning",
        )
    return EndCall(end_reason=reason, farewell=farewell(plan, reason))
