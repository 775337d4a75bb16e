"""Problems with accounts."""

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
    title = "Sign-up is disabled on this installation"


class EmailTaken(Problem):
    status = HTTPStatus.CONFLICT
    code = "email_taken"
    title = "This mail address already has an account"


class InvalidCredentials(Problem):
    status = HTTPStatus.UNAUTHORIZED
    code = "invalid_credentials"
    title = "The mail address or the password is wrong"


class EmailNotConfirmed(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "email_not_confirmed"
    title = "Your mail address is not confirmed yet"


class NoMembership(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "no_membership"
    title = "You are not a member of this tenant"


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
    """The token of a password reset or an invitation. The answer does not say which of the three is
    the case."""

    status = HTTPStatus.BAD_REQUEST
    code = "invalid_token"
    title = "The token is unknown, used or expired"


class SessionNotFound(NotFound):
    code = "session_not_found"
    title = "Session not found"
