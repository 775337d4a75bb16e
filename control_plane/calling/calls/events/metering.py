"""A reading of a call's meter extends the reserve, which stays ahead of the connected time.

The worker is told how much time is paid for, and ends the call itself when that is over. So a call
costs no more than was reserved for it, even if its events are applied much later.
"""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.commands import FUNDS_GOODBYE_MS, EndCall, ExtendFunds
from contracts.end_reasons import EndReason
from contracts.money import billable_seconds
from control_plane.calling.calls.connected_time import believed_ms
from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.models import Call
from control_plane.money.billing import service as billing
from control_plane.money.billing.reserve import reserve_seconds_wanted
from pipelines.texts.phrases import farewell

TOLD_AGAIN_UNTIL_MS = 10_000
"""A later extension makes up for a lost one in time, except for the first one. So the answers to
the readings up to here repeat it."""

PAID_TO_THE_END_MS = 2**53
"""Longer than any call."""


def is_covered(call: Call, connected_ms: int) -> bool:
    """Whether the reserve is known to be far enough ahead of ``connected_ms``. Then neither the
    ledger nor the plan is needed."""
    return (
        call.funded_until_ms is not None
        and reserve_seconds_wanted(connected_ms) * 1000 <= call.funded_until_ms
    )


def forget_cover(call: Call) -> None:
    """The locked call costs more from now on: its next reading reserves at the new price.

    The first reading asks the ledger anyway, and until then the worker is still to be told how
    much its first reserve pays for.
    """
    if call.metered_ms is not None:
        call.funded_until_ms = None


async def meter(
    session: AsyncSession,
    call: Call,
    reported_ms: int,
    at: datetime,
    now: datetime,
    added_micros_per_minute: int = 0,
) -> ExtendFunds | EndCall | None:
    """Record a reading of a running call: locked, with its plan loaded unless ``is_covered``.

    Args:
        at: when the worker read the meter; ``now``: by the clock of the control plane.
        added_micros_per_minute: what phones cost that were added to the call.

    Returns:
        What to tell the worker: how much time is paid for, if that has changed or the balance
        allows no more. Later answers make up for a command that is lost. A worker that goes on
        when nothing more is paid for is told to end the call.
    """
    connected_ms = believed_ms(call, reported_ms, now)
    call.metered_ms = max(call.metered_ms or 0, connected_ms)
    if is_covered(call, connected_ms):
        return _told_again(call, connected_ms)
    plan = call.frozen_plan()
    rate = plan.highest_rate_micros_per_minute + added_micros_per_minute
    if rate == 0:
        call.funded_until_ms = PAID_TO_THE_END_MS
        return None
    longest_seconds = billable_seconds(plan.limits.max_duration_seconds * 1000)
    wanted_seconds = min(reserve_seconds_wanted(connected_ms), longest_seconds)
    funded_seconds = await billing.extend(session, call.payer_id, call.id, wanted_seconds, rate)
    if funded_seconds is None:
        return None
    is_enough = funded_seconds >= wanted_seconds
    is_paid_to_the_end = funded_seconds >= longest_seconds
    call.funded_until_ms = PAID_TO_THE_END_MS if is_paid_to_the_end else funded_seconds * 1000
    if is_enough or connected_ms < funded_seconds * 1000 - FUNDS_GOODBYE_MS:
        return ExtendFunds(funded_until_ms=funded_seconds * 1000, balance_is_spent=not is_enough)
    reason = EndReason.INSUFFICIENT_FUNDS
    if call.end_requested_at is None:
        call.end_requested_at = at
        call.end_requested_reason = reason.value
        log_event(
            session,
            call,
            "lifecycle",
            "The balance does not allow another 30 seconds: the agent says goodbye",
            at,
            "warning",
        )
    present = plan if not call.takeovers else plan.run_by(UUID(call.takeovers[-1]["agent_id"]))
    return EndCall(end_reason=reason, farewell=farewell(present, reason))


def _told_again(call: Call, connected_ms: int) -> ExtendFunds | None:
    if call.funded_until_ms is None or not 0 < connected_ms <= TOLD_AGAIN_UNTIL_MS:
        return None
    return ExtendFunds(funded_until_ms=call.funded_until_ms)
