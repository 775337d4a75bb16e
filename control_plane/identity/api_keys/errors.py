"""Problems with API keys."""

from __future__ import annotations

from http import HTTPStatus

from control_plane.platform.errors import NotFound, Problem


class ApiKeyNotFound(NotFound):
    code = "api_key_not_found"
    title = "API key not found"


class PhoneCallsUsedUp(Problem):
    """``limit`` and ``used`` count the key's phone calls of today."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "phone_calls_used_up"
    title = "This publishable key has started all its phone calls of today"

    def __init__(self, limit: int, *, retry_after_seconds: int) -> None:
        super().__init__(
            f"It may start {limit} phone calls a day; the next day begins at midnight UTC",
            headers={"Retry-After": str(retry_after_seconds)},
            limit=limit,
            used=limit,
        )


class ApiKeyRevokedAlready(Problem):
    status = HTTPStatus.CONFLICT
    code = "api_key_revoked"
    title = "The API key is revoked for good"
