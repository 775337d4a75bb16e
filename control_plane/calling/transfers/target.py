"""Calling the phone of a person to whom a running call is transferred."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.dialing import MachineDetection
from control_plane.calling.calls import repository
from control_plane.calling.calls.creating.added_participants import (
    add_participant,
    check_pays_for_phones,
    check_room,
)
from control_plane.calling.calls.creating.caller_id import caller_ids
from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.models import Call
from control_plane.calling.calls.schemas import ParticipantInput
from control_plane.calling.dialing.repository import our_number_in
from control_plane.calling.dialing.retry import RetryRule, RetryRules
from control_plane.calling.dialing.schedule import Schedule
from control_plane.calling.dialing.service import HIGHEST_PRIORITY
from control_plane.calling.pauses.service import check_agent_not_paused, check_calls_enabled
from control_plane.platform.settings import DialingSettings

WAITS_FOR_ITS_TURN = timedelta(seconds=20)
"""The caller listens to music meanwhile."""
ONCE = RetryRules(failed=RetryRule(attempts=1))


async def call_target(
    session: AsyncSession,
    tenant_id: UUID,
    call_id: UUID,
    participant_id: UUID,
    to_number: str,
    dialing: DialingSettings,
) -> None:
    """Add the person to the call and queue the phone before all others. Does nothing if that was
    done before, or if the call is over.

    The checks are those of a participant that is added by request: room, do-not-call list, caller
    id, limits against toll fraud, calls stopped, agent paused. The person sees the number that the
    caller has called, or was called from.

    Args:
        to_number: E.164.

    Raises:
        Problem: the phone must not or cannot be called.
    """
    call = await repository.locked_call(session, tenant_id, call_id)
    if call is None or call.is_over:
        return
    present = await repository.participants(session, tenant_id, [call_id])
    if any(each.id == participant_id for each in present):
        return
    check_room(present, 1)
    check_pays_for_phones(call)
    from_number = await our_number_in(session, call)
    wanted = ParticipantInput(transport="pstn", identity=to_number, from_number=from_number)
    called_from = await caller_ids(session, tenant_id, call.agent_id, [wanted], dialing)
    await check_calls_enabled(session)
    await check_agent_not_paused(session, tenant_id, call.agent_id)
    now = datetime.now(UTC)
    await add_participant(
        session,
        call,
        max((each.position for each in present), default=-1) + 1,
        wanted,
        called_from[0],
        participant_id=participant_id,
        schedule=Schedule(not_after=now + WAITS_FOR_ITS_TURN),
        priority=HIGHEST_PRIORITY,
        retry=ONCE,
        machine_detection=_machine_detection(call),
    )
    log_event(session, call, "telephony", f"{to_number} is called for a transfer", now)
    await session.flush()


def _machine_detection(call: Call) -> MachineDetection:
    """Carriers charge for it, so it is asked for only where the agent cares about machines."""
    is_wanted = call.frozen_plan().agent.advanced.voicemail is not None
    return "detect" if is_wanted else "off"


async def note_refusal(session: AsyncSession, call: Call, to_number: str, why: str) -> None:
    """Say in the call's event log why nobody is called."""
    line = f"{to_number} is not called for a transfer: {why}"
    log_event(session, call, "telephony", line, datetime.now(UTC), "warning")
