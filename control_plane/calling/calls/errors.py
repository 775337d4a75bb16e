"""What can go wrong with calls."""

from __future__ import annotations

from http import HTTPStatus
from typing import Literal

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


CappedClient = Literal["tenant", "key", "address"]
OpenCallKind = Literal["at_once", "not_joined"]

JOIN_SECONDS = 20
"""How long the room of a browser call waits for the first participant."""
_RETRY_SECONDS: dict[OpenCallKind, int] = {"at_once": 5, "not_joined": JOIN_SECONDS}
_OPEN_CALLS: dict[OpenCallKind, str] = {
    "at_once": "calls at a time",
    "not_joined": "calls that nobody has joined yet",
}


class TooManyCalls(Problem):
    """``policy`` is who has too many (``tenant``, ``key``, ``address``), ``calls`` is what counts:
    all open calls (``at_once``), or those that nobody has joined yet (``not_joined``)."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "too_many_calls"
    title = "Too many calls are open"

    def __init__(
        self,
        client: CappedClient,
        kind: OpenCallKind,
        limit: int,
        used: int,
        *,
        holds_for_client: bool = False,
    ) -> None:
        wait = _RETRY_SECONDS[kind]
        super().__init__(
            f"At most {limit} {_OPEN_CALLS[kind]} for each {client}; try again in {wait} s",
            headers={"Retry-After": str(wait)},
            policy=client,
            calls=kind,
            limit=limit,
            used=used,
        )
        self.holds_for_client = holds_for_client


class NoCapacity(Problem):
    status = HTTPStatus.SERVICE_UNAVAILABLE
    code = "no_capacity"
    title = "No media worker can take the call now"

    def __init__(self, detail: str, retry_seconds: int = 5) -> None:
        super().__init__(detail, headers={"Retry-After": str(retry_seconds)})

    @classmethod
    def for_new_call(cls, *, has_workers: bool) -> NoCapacity:
        why = "All media workers are busy" if has_workers else "No media worker is there"
        return cls(
            f"{why}, so the call would not begin in time; nothing was created, so try again in 5 s"
        )


class CallPaidByTester(Problem):
    status = HTTPStatus.CONFLICT
    code = "call_paid_by_tester"
    title = "A tester pays for this call"


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
