"""What can go wrong with calls."""

from __future__ import annotations

from http import HTTPStatus

from contracts.call_plan import Channel
from control_plane.platform.errors import NotFound, Problem


class CallNotFound(NotFound):
    code = "call_not_found"
    title = "Call not found"


class TranscriptNotAvailable(NotFound):
    code = "transcript_not_available"
    title = "The call has no transcript yet"


class KeyScopeViolation(Problem):
    status = HTTPStatus.FORBIDDEN
    code = "key_scope_violation"
    title = "This publishable key does not permit the call"


class ProviderKeyUnavailable(Problem):
    """``channel`` is the part of the stack without a usable provider; ``None``: the managed SKU."""

    status = HTTPStatus.UNPROCESSABLE_ENTITY
    code = "provider_key_unavailable"
    title = "A provider of the agent cannot be used"

    def __init__(self, channel: Channel | None, reason: str) -> None:
        super().__init__(reason, channel=channel)


class CallAlreadyOver(Problem):
    status = HTTPStatus.CONFLICT
    code = "call_already_over"
    title = "The call is already over"


class CallOfAnotherTenant(Problem):
    """Raised where the API spec answers 403 for another tenant's call and 404 for no call."""

    status = HTTPStatus.FORBIDDEN
    code = "call_of_another_tenant"
    title = "The call belongs to another tenant"


class CallFull(Problem):
    """``used`` counts the participants who are in the call or may still join."""

    status = HTTPStatus.CONFLICT
    code = "call_full"
    title = "The call has no room for more participants"

    def __init__(self, limit: int, used: int) -> None:
        super().__init__(
            f"A call has at most {limit} participants at a time; {used} are in it or may join",
            limit=limit,
            used=used,
        )
