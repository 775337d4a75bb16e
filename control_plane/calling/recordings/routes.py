"""``/v1/calls/{call_id}/recording``, and the router for all routes of recordings."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter

from control_plane.calling.calls.errors import CallNotFound
from control_plane.calling.calls.queries.call_records import find_call
from control_plane.calling.recordings import file_routes
from control_plane.calling.recordings.errors import RecordingNotAvailable
from control_plane.calling.recordings.schemas import CallRecording
from control_plane.calling.recordings.views import find_recording_view
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import problems

router = APIRouter()
router.include_router(file_routes.router)


@router.get(
    "/v1/calls/{call_id}/recording",
    tags=["recordings"],
    responses=problems(*MEMBER_ONLY, CallNotFound, RecordingNotAvailable),
)
async def get_recording(
    call_id: UUID, caller: MemberCaller, session: TenantSession, settings: AppSettings
) -> CallRecording:
    """The recording of a call. Its status is `processing` until its files are made, shortly after
    the end of the call. A `completed` recording has signed addresses that expire."""
    if await find_call(session, caller.tenant_id, call_id) is None:
        raise CallNotFound
    recording = await find_recording_view(session, caller.tenant_id, call_id, settings)
    if recording is None:
        raise RecordingNotAvailable
    return CallRecording(call_id=call_id, recording=recording)
