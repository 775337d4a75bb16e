"""Creating calls."""

from __future__ import annotations

import asyncio
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import CallPlan
from contracts.call_status import CallStatus, ParticipantStatus
from control_plane.billing import service as billing
from control_plane.billing.reserve import FIRST_RESERVE_SECONDS
from control_plane.calls.event_log import log_event
from control_plane.calls.models import Call, CallParticipant
from control_plane.calls.planning import freeze_plan
from control_plane.calls.schemas import CallCreate
from control_plane.calls.text_warnings import text_warnings
from control_plane.do_not_call.errors import NumberOnDoNotCallList
from control_plane.do_not_call.repository import listed_numbers
from control_plane.errors import InvalidRequest
from control_plane.operator.switches import check_agent_not_paused, check_calls_enabled
from pipelines.stack import AvailableKeys


async def create_call(
    session: AsyncSession, tenant_id: UUID, wanted: CallCreate, keys: AvailableKeys
) -> CallPlan:
    """Freeze the plan, insert the call and hold its first increment, in one transaction.

    The checks come in one order: do-not-call list (400), carrier (400), calls stopped (503), agent
    (404), pause (423), published version (409), providers (422), credit (402). The plan is to be
    dispatched once the transaction has committed.

    Raises:
        NumberOnDoNotCallList: a participant must not be called.
        InvalidRequest: a participant cannot be reached.
        PlatformCallsDisabled: the operator has stopped all calls.
        AgentAdminPaused: the operator has paused the agent.
        AgentNotFound, AgentNotPublishReady, ProviderKeyUnavailable: see ``freeze_plan``.
        InsufficientCredits: the first increment cannot be reserved.
    """
    await _check_phone_numbers(session, tenant_id, wanted)
    await check_calls_enabled(session)
    await check_agent_not_paused(session, tenant_id, wanted.agent_id)
    plan = await freeze_plan(session, tenant_id, wanted, keys)
    call = Call(
        id=plan.call_id,
        tenant_id=tenant_id,
        agent_id=plan.agent_id,
        room_name=plan.room_name,
        status=CallStatus.CONNECTING.value,
        created_at=plan.created_at,
        details=plan.metadata,
        plan=plan.model_dump(mode="json", by_alias=True),
    )
    session.add(call)
    await session.flush()
    for position, (planned, given) in enumerate(
        zip(plan.participants, wanted.participants, strict=True)
    ):
        session.add(
            CallParticipant(
                id=planned.participant_id,
                tenant_id=tenant_id,
                call_id=call.id,
                position=position,
                role=role_of(position),
                transport=planned.transport.value,
                identity=planned.identity,
                status=ParticipantStatus.JOINING.value,
                details=given.metadata,
            )
        )
    log_event(session, call, "lifecycle", "Call created", plan.created_at)
    for warning in await asyncio.to_thread(text_warnings, plan):
        log_event(session, call, "lifecycle", warning, plan.created_at, level="warning")
    await session.flush()
    await billing.reserve(
        session, tenant_id, call.id, FIRST_RESERVE_SECONDS, plan.rate_micros_per_minute
    )
    return plan


def role_of(position: int) -> str:
    """The role of a call's participant: whoever is named first is the caller."""
    return "caller" if position == 0 else "participant"


async def _check_phone_numbers(session: AsyncSession, tenant_id: UUID, wanted: CallCreate) -> None:
    numbers = {
        participant.identity: index
        for index, participant in enumerate(wanted.participants)
        if participant.transport == "pstn"
    }
    if not numbers:
        return
    if listed := await listed_numbers(session, tenant_id, numbers):
        raise NumberOnDoNotCallList(
            errors=[
                {
                    "field": f"participants[{numbers[number]}].identity",
                    "message": f"{number} is on your do-not-call list",
                }
                for number in sorted(listed, key=numbers.__getitem__)
            ]
        )
    raise InvalidRequest.at(
        f"participants[{min(numbers.values())}].transport",
        "the phone channel has no carrier connected yet; use 'webrtc'",
    )
