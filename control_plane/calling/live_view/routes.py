"""``/v1/calls/{call_id}/stream``."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Query, Request, Response, status

from control_plane.calling.calls.errors import CallNotFound
from control_plane.calling.live_view.errors import TooManyViewers, ViewerShareUsedUp
from control_plane.calling.live_view.live_feed import LiveFeed
from control_plane.calling.live_view.repository import viewed_call
from control_plane.calling.live_view.schemas import LiveEvent
from control_plane.calling.live_view.server_sent_events import MEDIA_TYPE, EventStreamResponse
from control_plane.calling.live_view.viewer_events import END_ID
from control_plane.calling.live_view.viewer_seats import Seat, ViewerSeats
from control_plane.calling.live_view.viewer_stream import catch_up, stream
from control_plane.identity.authentication.dependencies import CallerCredential, MemberCaller
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.platform.http.dependencies import AppDatabase
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/calls", tags=["live view"])

_EXAMPLE = """\
event: state
data: {"subject":"call","state":"in_progress","end_reason":null}

event: transcript
data: {"utterance":0,"sequence":0,"speaker":"agent","text":"Hello!","is_final":true,"at_ms":1280}
id: 1795254000123-0

event: state
data: {"subject":"call","state":"completed","end_reason":"participant_disconnected"}
id: end
"""


async def feed_of(request: Request) -> LiveFeed:
    feed: LiveFeed = request.app.state.live_feed
    return feed


async def seat_of(
    request: Request, _caller: MemberCaller, credential: CallerCredential
) -> AsyncIterator[Seat]:
    """A viewer's seat, until the response has been sent."""
    seats: ViewerSeats = request.app.state.viewer_seats
    with seats.taken(credential) as seat:
        yield seat


@router.get(
    "/{call_id}/stream",
    status_code=status.HTTP_200_OK,
    response_class=EventStreamResponse,
    responses={
        status.HTTP_200_OK: {
            "model": LiveEvent,
            "description": f"Server-sent events; the schema is that of one.\n\n```\n{_EXAMPLE}```",
        },
        status.HTTP_204_NO_CONTENT: {
            "description": "The call is over and the client has seen its end: do not reconnect."
        },
        **problems(*MEMBER_ONLY, CallNotFound, TooManyViewers, ViewerShareUsedUp),
    },
    # FastAPI declares every response that is not JSON as a string.
    openapi_extra={"responses": {"200": {"content": {MEDIA_TYPE: {"schema": {"type": "object"}}}}}},
)
async def stream_call(
    call_id: UUID,
    caller: MemberCaller,
    database: AppDatabase,
    feed: Annotated[LiveFeed, Depends(feed_of)],
    seat: Annotated[Seat, Depends(seat_of, scope="request")],
    last_event_id: Annotated[
        str | None,
        Header(description="The last `id` that the client has seen; the stream goes on after it."),
    ] = None,
    follow: Annotated[
        bool, Query(description="With `false` the stream ends after what has happened so far.")
    ] = True,
) -> Response:
    """Watch a call as it happens, as server-sent events: `state`, `transcript`, `latency`,
    `interruption`, `tool`, `recording`.

    The stream begins with what has happened so far and ends with the call. For a call that is over
    it holds the whole call. It ends early, without an `end`, when its key is revoked or its session
    has ended.
    """
    async with database.tenant_session(caller.tenant_id) as session:
        call = await viewed_call(session, caller.tenant_id, call_id)
    if call is None:
        raise CallNotFound
    if call.status.is_over and last_event_id == END_ID:
        return Response(status_code=status.HTTP_204_NO_CONTENT)
    begin = await catch_up(feed, database, call, last_event_id)
    return EventStreamResponse(stream(feed, database, call, begin, follow=follow), seat.revoked)
