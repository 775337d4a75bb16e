"""What a reading of a call's meter does: the reserve is kept ahead of it."""

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
    """Whether the reserve was made to cover ``connected_ms`` by an earlier reading, so that nothing
    has to be asked of the ledger. Not while a call is ended for want of credit."""
    return (
        reserve_seconds_needed(connected_ms) <= reserve_seconds_needed(call.metered_ms or 0)
        and call.end_requested_reason != EndReason.INSUFFICIENT_FUNDS.value
    )


async def meter(
    session: AsyncSession, call: Call, connected_ms: int, at: datetime
) -> EndCall | None:
    """Note a reading of a running call, locked, with its plan loaded unless ``is_covered``.

    Returns:
        For a tenant who cannot pay for more, the command that says goodbye. It is sent again with
        each reading until the call ends: it may get lost, and a worker that is ending a call
        ignores another end.
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
