"""``/v1/calls``."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, BackgroundTasks, Query, status
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import CallPlan
from contracts.call_status import CallStatus, ParticipantStatus
from control_plane.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.authentication.dependencies import (
    AnyCaller,
    AppDatabase,
    AppSettings,
    MemberCaller,
    TenantSession,
)
from control_plane.authentication.errors import OriginNotAllowed
from control_plane.billing.errors import InsufficientCredits
from control_plane.calls import reading, repository, service
from control_plane.calls.admission import check_request
from control_plane.calls.dispatching import dispatch_call
from control_plane.calls.errors import (
    CallAlreadyOver,
    CallNotFound,
    KeyScopeViolation,
    ProviderKeyUnavailable,
    TranscriptNotAvailable,
)
from control_plane.calls.hang_up import hang_up
from control_plane.calls.listing import list_page
from control_plane.calls.models import Call
from control_plane.calls.schemas import (
    Access,
    AgentName,
    CallCreated,
    CallDetail,
    CallEndedView,
    CallEventPage,
    CallEventView,
    CallPage,
    CallRequest,
    JoiningParticipant,
    TranscriptView,
)
from control_plane.calls.views import call_detail, transcript_view
from control_plane.do_not_call.errors import NumberOnDoNotCallList
from control_plane.http.openapi import AUTHENTICATED, MEMBER_ONLY, problems
from control_plane.http.paging import Offset
from control_plane.idempotency.route import IdempotentRoute, OncePerKey
from control_plane.intelligence import repository as analyses
from control_plane.link.link import AppLink
from control_plane.operator.errors import AgentAdminPaused, PlatformCallsDisabled
from control_plane.provider_keys.available_keys import available_keys
from control_plane.realtime.access_token import RoomAccess, encode_access
from control_plane.settings import ControlPlaneSettings

DETAIL_EVENTS = 200
Limit = Annotated[int, Query(ge=1, le=1000)]

router = APIRouter(prefix="/v1/calls", tags=["calls"], route_class=IdempotentRoute)


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    responses=problems(
        *AUTHENTICATED,
        OriginNotAllowed,
        KeyScopeViolation,
        NumberOnDoNotCallList,
        PlatformCallsDisabled,
        AgentNotFound,
        AgentAdminPaused,
        AgentNotPublishReady,
        ProviderKeyUnavailable,
        InsufficientCredits,
    ),
)
async def create_call(
    request: CallRequest,
    caller: AnyCaller,
    session: TenantSession,
    database: AppDatabase,
    link: AppLink,
    settings: AppSettings,
    after_commit: BackgroundTasks,
    _: OncePerKey,
) -> CallCreated:
    """Start a call with an agent's published version.

    What can be wrong is checked in this order: key (401), the page that uses it (403),
    Idempotency-Key (422), request (400), the key's scope (403), do-not-call list (400), carrier of
    a phone call (400), calls stopped platform-wide (503), agent (404), agent paused (423),
    published version (409), providers (422), credit (402).
    """
    wanted = check_request(caller, request)
    plan = await service.create_call(
        session,
        caller.tenant_id,
        wanted,
        await available_keys(session, caller.tenant_id, settings),
    )
    after_commit.add_task(dispatch_call, database, link.redis, plan)
    return _created(plan, settings)


@router.get("", responses=problems(*MEMBER_ONLY))
async def list_calls(
    caller: MemberCaller,
    session: TenantSession,
    limit: Limit = 200,
    offset: Offset = 0,
    cursor: UUID | None = None,
    status: CallStatus | None = None,
    agent_id: UUID | None = None,
) -> CallPage:
    """Calls, newest first. ``cursor`` is the id of the last call already seen."""
    return await list_page(
        session,
        caller.tenant_id,
        limit=limit,
        offset=offset,
        cursor=cursor,
        status=status,
        agent_id=agent_id,
    )


@router.get("/active", responses=problems(*MEMBER_ONLY))
async def list_active_calls(
    caller: MemberCaller,
    session: TenantSession,
    limit: Limit = 200,
    offset: Offset = 0,
    cursor: UUID | None = None,
) -> CallPage:
    """Calls that are in progress."""
    return await list_page(
        session,
        caller.tenant_id,
        limit=limit,
        offset=offset,
        cursor=cursor,
        status=CallStatus.IN_PROGRESS,
    )


@router.get("/{call_id}", responses=problems(*MEMBER_ONLY, CallNotFound))
async def get_call(call_id: UUID, caller: MemberCaller, session: TenantSession) -> CallDetail:
    """A call with its transcript, analysis and the first events of its log."""
    call = await _found(session, caller.tenant_id, call_id, with_plan=True)
    events, _ = await reading.page_of_events(session, caller.tenant_id, call_id, DETAIL_EVENTS, 0)
    return call_detail(
        call,
        await repository.participants(session, caller.tenant_id, [call_id]),
        await reading.segments(session, caller.tenant_id, call_id),
        events,
        await analyses.find(session, caller.tenant_id, call_id),
    )


@router.get("/{call_id}/events", responses=problems(*MEMBER_ONLY, CallNotFound))
async def list_call_events(
    call_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Offset = 0,
) -> CallEventPage:
    """The call's event log, in order."""
    await _found(session, caller.tenant_id, call_id)
    events, total = await reading.page_of_events(session, caller.tenant_id, call_id, limit, offset)
    return CallEventPage(
        events=[CallEventView.model_validate(event) for event in events],
        total=total,
        offset=offset,
        limit=limit,
    )


@router.get(
    "/{call_id}/transcript",
    responses=problems(*MEMBER_ONLY, CallNotFound, TranscriptNotAvailable),
)
async def get_transcript(
    call_id: UUID, caller: MemberCaller, session: TenantSession
) -> TranscriptView:
    """What was said so far, in order."""
    await _found(session, caller.tenant_id, call_id)
    said = await reading.segments(session, caller.tenant_id, call_id)
    if not said:
        raise TranscriptNotAvailable
    return transcript_view(said)


@router.post("/{call_id}/end", responses=problems(*MEMBER_ONLY, CallNotFound, CallAlreadyOver))
async def end_call(
    call_id: UUID, caller: MemberCaller, database: AppDatabase, link: AppLink
) -> CallEndedView:
    """End a call. Answers when it is over and billed, at the latest after a few seconds."""
    message = await hang_up(database, link.redis, caller.tenant_id, call_id)
    return CallEndedView(id=call_id, message=message)


def _created(plan: CallPlan, settings: ControlPlaneSettings) -> CallCreated:
    now = datetime.now(UTC)
    ttl = timedelta(seconds=settings.access_token_ttl_seconds)
    return CallCreated(
        id=plan.call_id,
        room_name=plan.room_name,
        status=CallStatus.CONNECTING.value,
        participants=[
            JoiningParticipant(
                id=participant.participant_id,
                role=service.role_of(position),
                transport=participant.transport.value,
                identity=participant.identity,
                status=ParticipantStatus.JOINING.value,
                access=Access(
                    url=f"{settings.public_url}/v1/rtc/{plan.call_id}",
                    token=encode_access(
                        RoomAccess(participant.participant_id, plan.call_id, plan.tenant_id),
                        settings.secret_key,
                        now,
                        ttl,
                    ),
                ),
            )
            for position, participant in enumerate(plan.participants)
        ],
        agent=AgentName(id=plan.agent_id, name=plan.agent.name),
    )


async def _found(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, *, with_plan: bool = False
) -> Call:
    call = await reading.find_call(session, tenant_id, call_id, with_plan=with_plan)
    if call is None:
        raise CallNotFound
    return call
