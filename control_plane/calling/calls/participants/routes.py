"""``/v1/calls/{call_id}/participants``: adding participants to a call."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter, Response, status

from control_plane.building.agents.errors import AgentNotPublishReady
from control_plane.calling.calls import repository
from control_plane.calling.calls.creating.added_participants import add_participants
from control_plane.calling.calls.creating.admission import check_participants
from control_plane.calling.calls.errors import (
    CallAlreadyOver,
    CallFull,
    CallNotFound,
    CallOfAnotherTenant,
    CallPaidByTester,
)
from control_plane.calling.calls.participants.schemas import ParticipantsAdded, ParticipantsRequest
from control_plane.calling.calls.participants.views import added_view
from control_plane.calling.do_not_call.errors import NumberOnDoNotCallList
from control_plane.calling.pauses.errors import AgentAdminPaused, PlatformCallsDisabled
from control_plane.calling.telecom.errors import (
    PhoneCountryNotAllowed,
    PhoneDailySpendReached,
    PhoneRateAboveCeiling,
)
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.tenancy.foreign_records import foreign_is_forbidden

router = APIRouter(prefix="/v1/calls", tags=["calls"], route_class=IdempotentRoute)


@router.post(
    "/{call_id}/participants",
    status_code=status.HTTP_201_CREATED,
    responses={
        status.HTTP_202_ACCEPTED: {
            "model": ParticipantsAdded,
            "description": "At least one participant is a phone; it is queued.",
        },
        **problems(
            *MEMBER_ONLY,
            CallNotFound,
            CallOfAnotherTenant,
            CallAlreadyOver,
            AgentNotPublishReady,
            CallFull,
            CallPaidByTester,
            NumberOnDoNotCallList,
            PhoneCountryNotAllowed,
            PhoneRateAboveCeiling,
            PhoneDailySpendReached,
            PlatformCallsDisabled,
            AgentAdminPaused,
        ),
    },
)
async def add_call_participants(
    call_id: UUID,
    request: ParticipantsRequest,
    caller: MemberCaller,
    session: TenantSession,
    database: AppDatabase,
    settings: AppSettings,
    response: Response,
    _: OncePerKey,
) -> ParticipantsAdded:
    """Add participants to a call that is not over. Browsers can join immediately; phones are
    called and join when they answer.

    If one participant cannot be added, none is. Everybody in the call, the agent included, hears
    everybody else. A phone that is added is not checked for answering machines: the agent talks to
    one as to a person.
    """
    wanted = check_participants(request.participants)
    async with foreign_is_forbidden(
        database,
        call_id,
        not_found=CallNotFound,
        forbidden=CallOfAnotherTenant,
        exists=repository.call_exists,
    ):
        call, added = await add_participants(session, caller, call_id, wanted, settings.dialing)
    if any(each.job is not None for each in added):
        response.status_code = status.HTTP_202_ACCEPTED
    return ParticipantsAdded(
        id=call.id,
        room_name=call.room_name,
        status=call.status,
        participants=[added_view(each.participant, each.job, settings) for each in added],
    )
