"""Errors that a client sees: problem details (RFC 9457), one class per code.

Raise a ``Problem`` in a route or in anything it calls: ``platform/http/problems.py`` turns it into
the response, and ``platform/http/openapi.py`` documents its class.
"""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, ClassVar


class Problem(Exception):
    """Subclasses set ``status``, ``code`` and ``title``. Client programs check ``code``.

    Args:
        detail: what is wrong with this request and what would be right, in one sentence.
        headers: response headers, for example ``Retry-After``.
        extra: further members of the problem document, for example ``limit`` and ``used``.
    """

    status: ClassVar[int]
    code: ClassVar[str]
    title: ClassVar[str]
    holds_for_client: bool = False
    """Set where it is raised: whether the same client's next request of the kind would be refused,
    too, whatever it holds. See ``identity/request_limits/repeated_refusals.py``."""
    holds_for_address: bool = False
    """The same for every bearer token that comes from the client's address."""

    def __init__(
        self, detail: str | None = None, *, headers: Mapping[str, str] | None = None, **extra: Any
    ) -> None:
        super().__init__(detail or self.title)
        self.detail = detail or self.title
        self.headers = dict(headers or {})
        self.extra = extra


class InvalidRequest(Problem):
    """``errors`` lists what is wrong: ``{"field": "name", "message": "…"}``."""

    status = HTTPStatus.BAD_REQUEST
    code = "invalid_request"
    title = "The request is not valid"

    def __init__(self, detail: str | None = None, *, errors: list[dict[str, str]]) -> None:
        super().__init__(detail or _summary(errors), errors=errors)

    @classmethod
    def at(cls, field: str, message: str) -> InvalidRequest:
        """A request with one wrong field."""
        return cls(errors=[{"field": field, "message": message}])


def _summary(errors: list[dict[str, str]]) -> str:
    return "; ".join(f"{error['field']}: {error['message']}" for error in errors[:3])


class Unauthorized(Problem):
    status = HTTPStatus.UNAUTHORIZED
    code = "unauthorized"
    title = "Missing or invalid API key"

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail, headers={"WWW-Authenticate": "Bearer"})


class NotFound(Problem):
    status = HTTPStatus.NOT_FOUND
    code = "not_found"
    title = "Not found"


class MethodNotAllowed(Problem):
    status = HTTPStatus.METHOD_NOT_ALLOWED
    code = "method_not_allowed"
    title = "This path does not support this method"


class BodyTooLarge(Problem):
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "body_too_large"
    title = "The request body is too large"


class BodyNotReceived(Problem):
    status = HTTPStatus.REQUEST_TIMEOUT
    code = "body_not_received"
    title = "The request body did not arrive in time"


class HostNotAllowed(Problem):
    status = HTTPStatus.MISDIRECTED_REQUEST
    code = "host_not_allowed"
    title = "This server does not answer for this host"


class RequestNotReceived(Problem):
    status = HTTPStatus.REQUEST_TIMEOUT
    code = "request_not_received"
    title = "The request did not arrive in time"


class TooManyConnections(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "too_many_connections"
    title = "The server has too many connections"

    def __init__(self) -> None:
        super().__init__("Try again shortly", headers={"Retry-After": "1"})


class TooManyBodies(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "too_many_bodies"
    title = "Too many request bodies are being received"

    def __init__(self) -> None:
        # The rest of the body would be read as the next request.
        super().__init__("Try again shortly", headers={"Retry-After": "1", "Connection": "close"})


class UnsupportedMediaType(Problem):
    status = HTTPStatus.UNSUPPORTED_MEDIA_TYPE
    code = "unsupported_media_type"
    title = "The request body has the wrong content type"


class Unexpected(Problem):
    status = HTTPStatus.INTERNAL_SERVER_ERROR
    code = "internal_error"
    title = "Something went wrong on our side"


class DatabaseUnavailable(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "database_unavailable"
    title = "The database cannot be reached"

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(
            detail or "The database did not answer in time; try again shortly",
            headers={"Retry-After": "2"},
        )
