"""Adding participants to a call that is not over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import ParticipantStatus
from contracts.dialing import MachineDetection
from control_plane.building.agents import repository as agents
from control_plane.building.agents.errors import AgentNotPublishReady
from control_plane.building.agents.publishing.finding import Finding
from control_plane.calling.calls import repository
from control_plane.calling.calls.creating.caller_id import CallerId, caller_ids
from control_plane.calling.calls.creating.new_call import role_of
from control_plane.calling.calls.errors import (
    CallAlreadyOver,
    CallFull,
    CallNotFound,
    CallPaidByTester,
)
from control_plane.calling.calls.events.event_log import log_event
from control_plane.calling.calls.models import Call, CallParticipant
from control_plane.calling.calls.schemas import MAX_PARTICIPANTS, ParticipantInput
from control_plane.calling.dialing.models import DialingJob
from control_plane.calling.dialing.retry import ONE_CALL, RetryRules
from control_plane.calling.dialing.schedule import Schedule
from control_plane.calling.dialing.service import DEFAULT_PRIORITY, NOW, enqueue_leg
from control_plane.calling.pauses.service import check_agent_not_paused, check_calls_enabled
from control_plane.platform.audit.recording import record_change
from control_plane.platform.settings import DialingSettings
from control_plane.platform.tenancy.caller import Caller

_NOT_PUBLISHED = Finding(
    code="not_published",
    field="agent_id",
    message="The call's agent no longer has a published version.",
    fix="Publish it: POST /v1/agents/{id}/publish. If the agent was deleted, nobody can be added.",
)


@dataclass(frozen=True)
class Added:
    """``job`` is a phone's entry in the dialing queue."""

    participant: CallParticipant
    job: DialingJob | None = None


async def add_participants(
    session: AsyncSession,
    caller: Caller,
    call_id: UUID,
    wanted: Sequence[ParticipantInput],
    dialing: DialingSettings,
) -> tuple[Call, list[Added]]:
    """Add browsers to the call and queue its new phones, in one transaction: all or none.

    The checks run in this order: call (404), over (409), agent published (409), enough room (409);
    then, for phones only, do-not-call list (400), caller id (400), limits against toll fraud (403),
    paid by the tenant (409), calls stopped (503), agent paused (423).

    Args:
        wanted: their phone numbers are in E.164.

    Raises:
        CallNotFound: the tenant has no such call.
        CallAlreadyOver: the call is over.
        AgentNotPublishReady: the agent has no published version.
        CallFull: the call would have more than ``MAX_PARTICIPANTS``.
        CallPaidByTester: a phone would cost somebody who has not agreed to its price.
        NumberOnDoNotCallList, PlatformCallsDisabled, AgentAdminPaused: a phone must not be called.
        InvalidRequest: a phone cannot be called.
    """
    call = await repository.locked_call(session, caller.tenant_id, call_id)
    if call is None:
        raise CallNotFound
    if call.is_over:
        raise CallAlreadyOver(f"The call ended with {call.end_reason}; create a new one.")
    if await agents.find_published(session, caller.tenant_id, call.agent_id) is None:
        raise AgentNotPublishReady([_NOT_PUBLISHED])
    present = await repository.participants(session, caller.tenant_id, [call_id])
    check_room(present, len(wanted))
    called_from = await caller_ids(session, call.tenant_id, call.agent_id, wanted, dialing)
    if called_from:
        check_pays_for_phones(call)
        await check_calls_enabled(session)
        await check_agent_not_paused(session, call.tenant_id, call.agent_id)
    first_position = max((each.position for each in present), default=-1) + 1
    added = []
    for offset, given in enumerate(wanted):
        position = first_position + offset
        added.append(await add_participant(session, call, position, given, called_from.get(offset)))
    record_change(
        session,
        caller,
        "call.participants_added",
        target_id=call_id,
        changes={"participants": [str(each.participant.id) for each in added]},
    )
    count = "A participant was" if len(added) == 1 else f"{len(added)} participants were"
    log_event(session, call, "lifecycle", f"{count} invited", datetime.now(UTC))
    await session.flush()
    return call, added


def check_room(present: Sequence[CallParticipant], more: int) -> None:
    used = sum(each.status != ParticipantStatus.COMPLETED.value for each in present)
    if used + more > MAX_PARTICIPANTS:
        raise CallFull(MAX_PARTICIPANTS, used)


def check_pays_for_phones(call: Call) -> None:
    """
    Raises:
        CallPaidByTester: somebody else pays for the call, at the price of its agent alone.
    """
    if call.payer_tenant_id is not None:
        raise CallPaidByTester("No phone can be added: the tester pays for the agent alone")


async def add_participant(
    session: AsyncSession,
    call: Call,
    position: int,
    given: ParticipantInput,
    called_from: CallerId | None,
    participant_id: UUID | None = None,
    schedule: Schedule = NOW,
    priority: int = DEFAULT_PRIORITY,
    retry: RetryRules = ONE_CALL,
    machine_detection: MachineDetection = "off",
) -> Added:
    """Add one that may be added.

    Args:
        call: locked.
        called_from: ``None`` for browsers.
        participant_id: ``None`` for a new one.
        schedule, priority, retry: when a phone is dialed, and again.
        machine_detection: what the carrier is asked to listen for.
    """
    status = ParticipantStatus.JOINING if called_from is None else ParticipantStatus.QUEUED
    participant = CallParticipant(
        id=participant_id or uuid4(),
        tenant_id=call.tenant_id,
        call_id=call.id,
        position=position,
        role=role_of(position),
        transport=given.transport,
        identity=given.identity,
        status=status.value,
        details=given.metadata,
    )
    session.add(participant)
    await session.flush()
    if called_from is None:
        return Added(participant)
    row = called_from.price_row
    job = await enqueue_leg(
        session,
        call,
        participant,
        called_from,
        telecom_micros_per_minute=0 if row is None else row.micros_per_minute,
        price_row=row,
        priority=priority,
        schedule=schedule,
        retry=retry,
        machine_detection=machine_detection,
    )
    return Added(participant, job)
