"""``/v1/calls``."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

import structlog
from fastapi import APIRouter, BackgroundTasks, Query, Response, status
from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_status import CallStatus
from control_plane.building.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.building.agents.tenant_json_schemas import (
    SchemasChecked,
    check_extraction_schema,
)
from control_plane.calling.calls.call_list import list_page
from control_plane.calling.calls.creating import new_call
from control_plane.calling.calls.creating.admission import check_request, is_phone_call
from control_plane.calling.calls.creating.call_caps import Stranger
from control_plane.calling.calls.creating.new_call import NewCall
from control_plane.calling.calls.creating.services import AppCreatingServices
from control_plane.calling.calls.ending.hang_up import hang_up
from control_plane.calling.calls.errors import (
    CallAlreadyOver,
    CallNotFound,
    KeyScopeViolation,
    NoCapacity,
    ProviderKeyUnavailable,
    TooManyCalls,
    TranscriptNotAvailable,
)
from control_plane.calling.calls.models import Call
from control_plane.calling.calls.participants.schemas import CallQueued
from control_plane.calling.calls.participants.views import added_view, joining_view
from control_plane.calling.calls.queries import call_records
from control_plane.calling.calls.schemas import (
    AgentName,
    CallCreate,
    CallCreated,
    CallDetail,
    CallEndedView,
    CallEventPage,
    CallEventView,
    CallPage,
    CallRequest,
    TranscriptView,
)
from control_plane.calling.calls.views import call_detail, transcript_view
from control_plane.calling.do_not_call.errors import NumberOnDoNotCallList
from control_plane.calling.intelligence import repository as analyses
from control_plane.calling.pauses.errors import AgentAdminPaused, PlatformCallsDisabled
from control_plane.calling.recordings.views import find_recording_view
from control_plane.calling.telecom.errors import (
    PhoneCountryNotAllowed,
    PhoneDailySpendReached,
    PhoneRateAboveCeiling,
)
from control_plane.identity.api_keys.errors import PhoneCallsUsedUp
from control_plane.identity.api_keys.phone_calls import count_phone_call
from control_plane.identity.authentication.dependencies import (
    AnyCaller,
    MemberCaller,
    TenantSession,
)
from control_plane.identity.authentication.errors import OriginNotAllowed
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import AUTHENTICATED, problems
from control_plane.platform.http.paging import CallCursor, Offset, OffsetOfCalls
from control_plane.platform.link.link import AppLink
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.caller import Caller

DETAIL_EVENTS = 200
Limit = Annotated[int, Query(ge=1, le=1000)]

router = APIRouter(prefix="/v1/calls", tags=["calls"], route_class=IdempotentRoute)


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    response_model=CallCreated,
    responses={
        status.HTTP_202_ACCEPTED: {
            "model": CallQueued,
            "description": "At least one participant is a phone; the call waits in the queue.",
        },
        **problems(
            *AUTHENTICATED,
            OriginNotAllowed,
            KeyScopeViolation,
            PhoneCallsUsedUp,
            NumberOnDoNotCallList,
            PhoneCountryNotAllowed,
            PhoneRateAboveCeiling,
            PhoneDailySpendReached,
            PlatformCallsDisabled,
            AgentNotFound,
            AgentAdminPaused,
            AgentNotPublishReady,
            ProviderKeyUnavailable,
            TooManyCalls,
            NoCapacity,
            InsufficientCredits,
        ),
    },
)
async def create_call(
    request: CallRequest,
    caller: AnyCaller,
    _schemas: SchemasChecked,
    session: TenantSession,
    services: AppCreatingServices,
    after_commit: BackgroundTasks,
    _: OncePerKey,
) -> Response:
    """Start a call with the published version of an agent.

    The checks run in this order: key (401), origin of the page that uses it (403), Idempotency-Key
    (422), request (400), scope of the key (403), the key's phone calls of today (429), do-not-call
    list (400), caller id (400), limits against toll fraud (403), calls stopped for the whole
    platform (503), agent (404), agent paused (423), published version (409); for browsers only,
    open calls (429) and free media workers (503); the variables that a publishable key sets (403),
    providers (422), credit (402)."""
    wanted = check_request(caller, request)
    if wanted.post_call is not None:
        await check_extraction_schema(wanted.post_call, caller.tenant_id)
    await _count_phone_call(session, caller, wanted)
    new = await new_call.create_call(
        session,
        caller.tenant_id,
        wanted,
        services.settings,
        services.sources,
        stranger=Stranger.behind(caller),
        capacity=services.capacity,
    )
    structlog.contextvars.bind_contextvars(call_id=str(new.plan.call_id))
    if not new.waits_for_phone:
        after_commit.add_task(
            services.dispatcher.dispatch,
            services.redis,
            new.plan_document,
            new.dispatch_weight,
        )
    return _created(new, services.settings)


@router.get("", response_model=CallPage, responses=problems(*MEMBER_ONLY))
async def list_calls(
    caller: MemberCaller,
    session: TenantSession,
    limit: Limit = 200,
    offset: OffsetOfCalls = 0,
    cursor: CallCursor = None,
    status: CallStatus | None = None,
    agent_id: UUID | None = None,
) -> Response:
    """List calls, newest first."""
    page = await list_page(
        session,
        caller.tenant_id,
        limit=limit,
        offset=offset,
        cursor=cursor,
        status=status,
        agent_id=agent_id,
    )
    return Response(page, media_type="application/json")


@router.get("/active", response_model=CallPage, responses=problems(*MEMBER_ONLY))
async def list_active_calls(
    caller: MemberCaller,
    session: TenantSession,
    limit: Limit = 200,
    offset: OffsetOfCalls = 0,
    cursor: CallCursor = None,
) -> Response:
    """List the calls that are in progress, newest first."""
    page = await list_page(
        session,
        caller.tenant_id,
        limit=limit,
        offset=offset,
        cursor=cursor,
        status=CallStatus.IN_PROGRESS,
    )
    return Response(page, media_type="application/json")


@router.get("/{call_id}", responses=problems(*MEMBER_ONLY, CallNotFound))
async def get_call(
    call_id: UUID, caller: MemberCaller, session: TenantSession, settings: AppSettings
) -> CallDetail:
    """A call with its transcript, its analysis and the first events of its log."""
    call = await _found(session, caller.tenant_id, call_id, with_plan=True)
    events, _ = await call_records.page_of_events(
        session, caller.tenant_id, call_id, DETAIL_EVENTS, 0
    )
    return call_detail(
        call,
        await call_records.listed_fields(session, caller.tenant_id, call_id),
        await call_records.participants_with_legs(session, caller.tenant_id, call_id),
        await call_records.segments(session, caller.tenant_id, call_id),
        events,
        await analyses.find(session, caller.tenant_id, call_id),
        await find_recording_view(session, caller.tenant_id, call_id, settings),
    )


@router.get("/{call_id}/events", responses=problems(*MEMBER_ONLY, CallNotFound))
async def list_call_events(
    call_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Offset = 0,
) -> CallEventPage:
    """The event log of a call, oldest event first."""
    await _found(session, caller.tenant_id, call_id)
    events, total = await call_records.page_of_events(
        session, caller.tenant_id, call_id, limit, offset
    )
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
    """The transcript so far.

    The answer is 404 while the call runs and nothing has been said. When the call is over, an empty
    transcript means that nothing was.
    """
    call = await _found(session, caller.tenant_id, call_id)
    said = await call_records.segments(session, caller.tenant_id, call_id)
    if not said and not call.is_over:
        raise TranscriptNotAvailable
    return transcript_view(said)


@router.post("/{call_id}/end", responses=problems(*MEMBER_ONLY, CallNotFound, CallAlreadyOver))
async def end_call(
    call_id: UUID, caller: MemberCaller, database: AppDatabase, link: AppLink
) -> CallEndedView:
    """End a call. The response comes when the call is over and billed, within a few seconds."""
    message = await hang_up(database, link.redis, caller.tenant_id, call_id)
    return CallEndedView(id=call_id, message=message)


async def _count_phone_call(session: AsyncSession, caller: Caller, wanted: CallCreate) -> None:
    """
    Raises:
        PhoneCallsUsedUp: the publishable key has started all its phone calls of today.
    """
    scope, key_id = caller.publishable, caller.actor.id
    if scope is None or scope.phone_calls_per_day is None or key_id is None:
        return
    if is_phone_call(wanted):
        await count_phone_call(session, caller.tenant_id, key_id, scope.phone_calls_per_day)


def _created(new: NewCall, settings: ControlPlaneSettings) -> Response:
    plan = new.plan
    if new.waits_for_phone:
        shown: BaseModel = CallQueued(
            id=plan.call_id,
            room_name=plan.room_name,
            status=new.status.value,
            participants=[
                added_view(each, new.legs.get(each.id), settings) for each in new.participants
            ],
        )
        return _answer(shown, status.HTTP_202_ACCEPTED)
    shown = CallCreated(
        id=plan.call_id,
        room_name=plan.room_name,
        status=new.status.value,
        participants=[joining_view(each, settings) for each in new.participants],
        agent=AgentName(id=plan.agent_id, name=plan.agent.name),
    )
    return _answer(shown, status.HTTP_201_CREATED)


def _answer(shown: BaseModel, status_code: int) -> Response:
    return Response(shown.model_dump_json(), status_code, media_type="application/json")


async def _found(
    session: AsyncSession, tenant_id: UUID, call_id: UUID, *, with_plan: bool = False
) -> Call:
    call = await call_records.find_call(session, tenant_id, call_id, with_plan=with_plan)
    if call is None:
        raise CallNotFound
    return call
