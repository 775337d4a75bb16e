"""``/v1/notifications/stream``."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Depends, Header, Query, Request, status

from control_plane.calling.live_view.errors import TooManyViewers, ViewerShareUsedUp
from control_plane.calling.live_view.routes import seat_of
from control_plane.calling.live_view.server_sent_events import MEDIA_TYPE, EventStreamResponse
from control_plane.calling.live_view.viewer_seats import Seat
from control_plane.identity.authentication.dependencies import MemberCaller
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.notifying.notifications.schemas import NotificationStreamEvent
from control_plane.notifying.notifications.streaming.news import News
from control_plane.notifying.notifications.streaming.stream import position_of, stream
from control_plane.platform.http.dependencies import AppDatabase
from control_plane.platform.http.openapi import problems

router = APIRouter(prefix="/v1/notifications", tags=["notifications"])

_EXAMPLE = """\
event: unread
data: {"count":1}
id: 4710

event: notification
data: {"id":"…","event_category":"agent.failed","title":"Nora failed during a call",…}
id: 4711

event: unread
data: {"count":2}
id: 4711
"""


async def news_of(request: Request) -> News:
    news: News = request.app.state.notification_news
    return news


@router.get(
    "/stream",
    status_code=status.HTTP_200_OK,
    response_class=EventStreamResponse,
    responses={
        status.HTTP_200_OK: {
            "model": NotificationStreamEvent,
            "description": f"Server-sent events; the schema is that of one.\n\n```\n{_EXAMPLE}```",
        },
        **problems(*MEMBER_ONLY, TooManyViewers, ViewerShareUsedUp),
    },
    # FastAPI declares every response that is not JSON as a string.
    openapi_extra={"responses": {"200": {"content": {MEDIA_TYPE: {"schema": {"type": "object"}}}}}},
)
async def stream_notifications(
    caller: MemberCaller,
    database: AppDatabase,
    news: Annotated[News, Depends(news_of)],
    seat: Annotated[Seat, Depends(seat_of, scope="request")],
    last_event_id: Annotated[
        str | None,
        Header(description="The last `id` that the client has seen; the stream goes on after it."),
    ] = None,
    follow: Annotated[
        bool, Query(description="With `false` the stream ends after what there is now.")
    ] = True,
) -> EventStreamResponse:
    """Hear of notifications as they come, as server-sent events: `unread` says how many the reader
    has not read, first and after each `notification`.

    The stream has what the feed shows to the same reader. It ends after 15 minutes, when its key is
    revoked, or its session has ended; reconnect with `Last-Event-ID`, as browsers do by themselves.
    """
    events = stream(news, database, caller, position_of(last_event_id), follow=follow)
    return EventStreamResponse(events, seat.revoked)
