"""``/v1/calls/{call_id}/participants``: more people in a call."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

from fastapi import APIRouter, Response, status

from control_plane.agents.errors import AgentNotPublishReady
from control_plane.authentication.dependencies import (
    AppDatabase,
    AppSettings,
    MemberCaller,
    TenantSession,
)
from control_plane.calls.adding_participants import Added, add_participants
from control_plane.calls.admission import check_participants
from control_plane.calls.errors import (
    CallAlreadyOver,
    CallFull,
    CallNotFound,
    CallOfAnotherTenant,
)
from control_plane.calls.existence import foreign_is_forbidden
from control_plane.calls.participant_schemas import (
    AddedParticipant,
    ParticipantsAdded,
    ParticipantsRequest,
)
from control_plane.calls.schemas import Access, ParticipantView
from control_plane.do_not_call.errors import NumberOnDoNotCallList
from control_plane.http.openapi import MEMBER_ONLY, problems
from control_plane.idempotency.route import IdempotentRoute, OncePerKey
from control_plane.operator.errors import AgentAdminPaused, PlatformCallsDisabled
from control_plane.realtime.access_token import RoomAccess, encode_access
from control_plane.settings import ControlPlaneSettings

router = APIRouter(prefix="/v1/calls", tags=["calls"], route_class=IdempotentRoute)


@router.post(
    "/{call_id}/participants",
    status_code=status.HTTP_201_CREATED,
    responses={
        status.HTTP_202_ACCEPTED: {
            "model": ParticipantsAdded,
            "description": "At least one of them is a phone, which is queued.",
        },
        **problems(
            *MEMBER_ONLY,
            CallNotFound,
            CallOfAnotherTenant,
            CallAlreadyOver,
            AgentNotPublishReady,
            CallFull,
            NumberOnDoNotCallList,
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
    """Bring more people into a call that is not over: browsers at once, phones when they answer.

    All of them or, when one cannot be, none. The agent and everybody in the call hear them and are
    heard by them.
    """
    wanted = check_participants(request.participants)
    async with foreign_is_forbidden(database, call_id):
        call, added = await add_participants(
            session, caller, call_id, wanted, settings.dialing.carriers
        )
    if any(each.job is not None for each in added):
        response.status_code = status.HTTP_202_ACCEPTED
    return ParticipantsAdded(
        id=call.id,
        room_name=call.room_name,
        status=call.status,
        participants=[_view(each, settings) for each in added],
    )


def _view(added: Added, settings: ControlPlaneSettings) -> AddedParticipant:
    shown = ParticipantView.model_validate(added.participant).model_dump()
    if added.job is not None:
        return AddedParticipant(
            **shown, telephony_leg_id=added.job.telephony_leg_id, job_id=added.job.id
        )
    participant = added.participant
    token = encode_access(
        RoomAccess(participant.id, participant.call_id, participant.tenant_id),
        settings.secret_key,
        datetime.now(UTC),
        timedelta(seconds=settings.access_token_ttl_seconds),
    )
    url = f"{settings.public_url}/v1/rtc/{participant.call_id}"
    return AddedParticipant(**shown, access=Access(url=url, token=token))
