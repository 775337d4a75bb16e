"""What can go wrong with accounts."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class ForeignOrigin(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "foreign_origin"
    title = "A page of another site cannot use a dashboard session"


class SignUpDisabled(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "sign_up_disabled"
    title = "This installation does not let strangers open accounts"


class EmailTaken(Problem):
    status = HTTPStatus.CONFLICT
    code = "email_taken"
    title = "This mail address has an account already"


class InvalidCredentials(Problem):
    status = HTTPStatus.UNAUTHORIZED
    code = "invalid_credentials"
    title = "The mail address or the password is wrong"


class NoMembership(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "no_membership"
    title = "You do not belong to such a tenant"


class TooManyAttempts(Problem):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "too_many_attempts"
    title = "Too many attempts"

    def __init__(self, detail: str | None = None, *, retry_after_seconds: int = 1) -> None:
        super().__init__(
            detail or f"Too many attempts; try again in {retry_after_seconds} seconds",
            headers={"Retry-After": str(retry_after_seconds)},
        )


class InvalidToken(Problem):
    """Of a reset or an invitation. One answer for all of it: a token either works or not."""

    status = HTTPStatus.BAD_REQUEST
    code = "invalid_token"
    title = "The token is unknown, used or expired"


class SessionNotFound(NotFound):
    code = "session_not_found"
    title = "Session not found"
