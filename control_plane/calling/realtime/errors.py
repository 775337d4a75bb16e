"""What can go wrong when a participant joins a call."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import Problem


class AccessTokenInvalid(Problem):
    status = HTTPStatus.UNAUTHORIZED
    code = "access_token_invalid"
    title = "Missing or invalid access token"

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"})


class AccessTokenForAnotherCall(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "access_token_for_another_call"
    title = "This access token is for another call or participant"


class BadOffer(Problem):
    status = HTTPStatus.BAD_REQUEST
    code = "bad_offer"
    title = "The body is not an SDP offer that can be answered"


class OfferReplaced(Problem):
    status = HTTPStatus.CONFLICT
    code = "offer_replaced"
    title = "A later offer of this client has arrived before this one"


class CallOver(Problem):
    status = HTTPStatus.GONE
    code = "call_over"
    title = "The call is over"


class NoWorker(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "no_worker"
    title = "No media worker has taken the call yet"

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail, headers={"Retry-After": "2"})
