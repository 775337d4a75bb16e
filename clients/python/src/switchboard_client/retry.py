"""When a request is sent again, and after how long. Pure: no clock, no network, no randomness."""

from __future__ import annotations

import json
from dataclasses import dataclass
from enum import Enum, auto

from switchboard_client.request import Reply, Request

OK = 200
NOT_FOUND = 404
CONFLICT = 409
"""With ``Retry-After``: an earlier attempt of this request is still being carried out."""
TOO_MANY_REQUESTS = 429
SERVICE_UNAVAILABLE = 503
_PASSING = frozenset({502, SERVICE_UNAVAILABLE, 504})
"""Failures that pass: a proxy without its server, or a server without its database."""


@dataclass(frozen=True)
class RetryPolicy:
    """How often and how long a client tries. The waits double from ``first_wait_seconds``, with
    jitter."""

    most_attempts: int = 3
    first_wait_seconds: float = 0.25
    longest_wait_seconds: float = 8.0
    """Limits ``Retry-After``, too: if the API asks for more, its refusal is raised at once."""


DEFAULT_RETRY = RetryPolicy()


class Failure(Enum):
    """How far a request without a reply came."""

    NOT_SENT = auto()
    """The server cannot have seen it."""
    NOT_ANSWERED = auto()
    """The server may have carried it out."""
    IMPOSSIBLE = auto()
    """It can never be sent, for example because the address is not valid."""


class Attempts:
    """The attempts of one request. Each method returns how many seconds to wait before the next
    attempt, or ``None`` if the result is final."""

    def __init__(self, request: Request, policy: RetryPolicy) -> None:
        self._request = request
        self._policy = policy
        self._made = 0
        self._may_be_done = False
        """Whether the server may have carried out an attempt whose answer was lost."""

    def after_reply(
        self, reply: Reply, retry_after_seconds: float | None, dice: float
    ) -> float | None:
        """
        Args:
            dice: a random number from 0 to 1, for the jitter.
        """
        self._may_be_done = self._may_be_done or reply.status in _PASSING
        is_carried_out = reply.status == CONFLICT and retry_after_seconds is not None
        may_pass = is_carried_out or self._may_pass(reply)
        return self._next(dice, retry_after_seconds) if may_pass else None

    def after_failure(self, failure: Failure, dice: float) -> float | None:
        self._may_be_done = self._may_be_done or failure is Failure.NOT_ANSWERED
        may_be_repeated = failure is Failure.NOT_SENT or (
            failure is Failure.NOT_ANSWERED and self._request.is_repeatable
        )
        return self._next(dice, None) if may_be_repeated else None

    def settled(self, reply: Reply) -> Reply:
        """What the final ``reply`` means: a ``DELETE`` finds nothing if an earlier attempt has
        deleted it."""
        gone = self._request.gone
        if reply.status == NOT_FOUND and self._may_be_done and gone is not None:
            return Reply(OK, {}, json.dumps(gone).encode())
        return reply

    def _may_pass(self, reply: Reply) -> bool:
        if reply.status == TOO_MANY_REQUESTS:
            return (
                True  # The API refuses before it does anything, so every request can be repeated.
            )
        return reply.status in _PASSING and self._request.is_repeatable

    def _next(self, dice: float, asked_seconds: float | None) -> float | None:
        self._made += 1
        if self._made >= self._policy.most_attempts:
            return None
        if asked_seconds is not None:
            return asked_seconds if asked_seconds <= self._policy.longest_wait_seconds else None
        doubled = self._policy.first_wait_seconds * 2.0 ** (self._made - 1)
        return min(doubled, self._policy.longest_wait_seconds) * (0.5 + dice / 2)
