"""Turning a dashboard session's cookie into a caller."""

from __future__ import annotations

from fastapi import Request

from control_plane.authentication.caller import Caller, RequestOrigin
from control_plane.database import Database
from control_plane.errors import Unauthorized

SESSION_COOKIE = "switchboard_session"


async def caller_of_session(
    database: Database, token: str, request: Request, origin: RequestOrigin
) -> Caller:
    """The user whose session it is, in the tenant that the session is for.

    Raises:
        Unauthorized: the session is unknown, over or revoked.
        CsrfTokenRequired: the request changes something and lacks the session's CSRF token.
    """
    raise Unauthorized("This session is unknown or over; log in again")
