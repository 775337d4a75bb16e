"""``/v1/rtc``: where a browser posts its SDP offer, as in WHIP (RFC 9725)."""

from __future__ import annotations

import time
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Header, Request, Response, status
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from contracts.ice_servers import ice_servers
from control_plane.calling.calls.errors import CallNotFound, NoCapacity
from control_plane.calling.realtime.access_token import (
    InvalidAccessToken,
    RoomAccess,
    decode_access,
)
from control_plane.calling.realtime.errors import (
    AccessTokenForAnotherCall,
    AccessTokenInvalid,
    BadOffer,
    CallOver,
    NoWorker,
    OfferReplaced,
)
from control_plane.calling.realtime.joined_call import JoinedCall, joined_call
from control_plane.calling.realtime.offer_order import HEADER, PATTERN, OfferOrder
from control_plane.calling.realtime.schemas import IceServers
from control_plane.calling.realtime.session_description import (
    CONTENT_TYPE,
    MAX_OFFER_BYTES,
    NotSdp,
    check_offer,
    ice_server_links,
)
from control_plane.calling.realtime.signalling import check_not_over, join, leave
from control_plane.platform.errors import BodyTooLarge, DatabaseUnavailable, UnsupportedMediaType
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.link.link import AppLink, LinkUnavailable

router = APIRouter(prefix="/v1/rtc", tags=["realtime"])
_bearer = HTTPBearer(
    auto_error=False, scheme_name="access_token", description="The `access.token` of a participant."
)
_ACCESS = (AccessTokenInvalid, AccessTokenForAnotherCall, LinkUnavailable)
_SDP = {"content": {CONTENT_TYPE: {"schema": {"type": "string"}}}}


async def room_access(
    call_id: UUID,
    settings: AppSettings,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> RoomAccess:
    """The participant whom the access token lets into this call."""
    if credentials is None:
        raise AccessTokenInvalid(
            "Send the participant's access.token: 'Authorization: Bearer <token>'"
        )
    try:
        access = decode_access(credentials.credentials, settings.secret_key)
    except InvalidAccessToken as error:
        raise AccessTokenInvalid(str(error)) from error
    if access.call_id != call_id:
        raise AccessTokenForAnotherCall("This access token is for another call.")
    return access


Access = Annotated[RoomAccess, Depends(room_access)]


async def sdp_offer(request: Request, _: Access) -> str:
    """The body of the request, if it has the form of an SDP offer."""
    media_type = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media_type != CONTENT_TYPE:
        raise UnsupportedMediaType(f"Send the offer as 'Content-Type: {CONTENT_TYPE}'")
    body = bytearray()
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_OFFER_BYTES:
            raise BodyTooLarge(f"An offer may have at most {MAX_OFFER_BYTES} bytes")
    try:
        offer = body.decode()
        check_offer(offer)
    except UnicodeDecodeError as error:
        raise BadOffer("The offer is not UTF-8 text.") from error
    except NotSdp as error:
        raise BadOffer(str(error)) from error
    return offer


def offer_order(
    offer_order: Annotated[
        str | None,
        Header(
            alias=HEADER,
            pattern=PATTERN,
            description="`client/number`: a name that the client makes up for itself, and how many "
            "offers it has sent. An offer that arrives after a later one of the same client is "
            "refused. Without it, each offer replaces the one that arrived before.",
            examples=["f81d4fae/2"],
        ),
    ] = None,
) -> OfferOrder | None:
    """The place of the offer among those of its client."""
    return None if offer_order is None else OfferOrder.parse(offer_order)


@router.post(
    "/{call_id}",
    status_code=status.HTTP_201_CREATED,
    response_class=Response,
    responses={
        status.HTTP_201_CREATED: _SDP | {"description": "The SDP answer with all its candidates."},
        **problems(
            *_ACCESS,
            DatabaseUnavailable,
            CallNotFound,
            CallOver,
            BadOffer,
            OfferReplaced,
            NoCapacity,
            NoWorker,
            UnsupportedMediaType,
            BodyTooLarge,
        ),
    },
    openapi_extra={"requestBody": _SDP | {"required": True}},
)
async def offer_leg(
    access: Access,
    offer: Annotated[str, Depends(sdp_offer)],
    order: Annotated[OfferOrder | None, Depends(offer_order)],
    database: AppDatabase,
    link: AppLink,
    settings: AppSettings,
) -> Response:
    """Join a call. The body is an SDP offer with all its candidates; the response is the answer.

    `Location` is the address of the leg: send DELETE to it to leave. `Link` headers name the ICE
    servers to use, with the credentials of TURN servers.

    Another offer of the same participant replaces its connection. A participant whose network has
    failed has 20 seconds to send one.
    """
    answer = await join(database, link, access, offer, order)
    response = Response(answer, status.HTTP_201_CREATED, media_type=CONTENT_TYPE)
    response.headers["Location"] = f"/v1/rtc/{access.call_id}/legs/{access.participant_id}"
    for value in ice_server_links(ice_servers(settings, access.call_id, time.time())):
        response.headers.append("Link", value)
    return response


@router.get(
    "/{call_id}",
    responses=problems(
        AccessTokenInvalid, AccessTokenForAnotherCall, DatabaseUnavailable, CallNotFound
    ),
)
async def get_joined_call(
    access: Access, database: AppDatabase, settings: AppSettings, response: Response
) -> JoinedCall:
    """The call for its participants: with whom they talk, and afterwards how long it took, its
    summary, its recording and their feedback.
    """
    response.headers["Cache-Control"] = "no-store"
    async with database.tenant_session(access.tenant_id) as session:
        return await joined_call(session, access, settings)


@router.get(
    "/{call_id}/ice-servers",
    response_model=IceServers,
    response_model_exclude_none=True,
    responses=problems(
        AccessTokenInvalid, AccessTokenForAnotherCall, DatabaseUnavailable, CallNotFound, CallOver
    ),
)
async def find_ice_servers(
    access: Access, database: AppDatabase, settings: AppSettings, response: Response
) -> IceServers:
    """The STUN and TURN servers to make the offer with, in the form that `new RTCPeerConnection`
    takes.

    Credentials of TURN servers are made for this call and expire after the longest call. A call
    that is over gets none.
    """
    await check_not_over(database, access)
    response.headers["Cache-Control"] = "no-store"
    return IceServers(ice_servers=ice_servers(settings, access.call_id, time.time()))


@router.delete("/{call_id}", responses=problems(*_ACCESS, DatabaseUnavailable))
async def leave_call(access: Access, database: AppDatabase, link: AppLink) -> Response:
    """Leave a call, joined or not. If everybody who was invited leaves before joining, it ends.

    Leaving twice, or leaving a call that is over, is not an error.
    """
    await leave(database, link, access)
    return Response(status_code=status.HTTP_200_OK)


@router.delete(
    "/{call_id}/legs/{participant_id}", responses=problems(*_ACCESS, DatabaseUnavailable)
)
async def remove_leg(
    participant_id: UUID, access: Access, database: AppDatabase, link: AppLink
) -> Response:
    """Leave a call. Leaving twice, or leaving a call that is over, is not an error."""
    if access.participant_id != participant_id:
        raise AccessTokenForAnotherCall("This access token is for another participant.")
    return await leave_call(access, database, link)
