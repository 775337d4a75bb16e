"""Limits how many requests a key and a client address may send in a minute.

Responses have the headers ``RateLimit-Policy`` and ``RateLimit`` of
draft-ietf-httpapi-ratelimit-headers-10: each policy's quota (``q``) and window in seconds (``w``),
the remaining quota (``r``), and the seconds until more is available (``t``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from control_plane.identity.request_limits.client_identity import (
    address_identity,
    credential_identity,
    is_publishable,
)
from control_plane.platform.http.problems import problem_response
from control_plane.platform.rate_limits.breaker import Breaker
from control_plane.platform.rate_limits.counters import (
    CountersUnavailable,
    RequestCounters,
    Verdict,
)
from control_plane.platform.rate_limits.errors import RateLimited
from control_plane.platform.rate_limits.local_counters import LocalCounters
from control_plane.platform.rate_limits.quota import LIMITED_PATHS, Policy, Quota

VISITOR_SHARE = 5
"""One address may send one of so many requests that a publishable key may send."""
POLICY_HEADER = "RateLimit-Policy"
QUOTA_HEADER = "RateLimit"

_log = structlog.get_logger(__name__)


class RateLimitMiddleware:
    """Answers 429 to requests over a limit. While Redis does not answer, each process counts for
    itself. A request waits for Redis at most as long as the deadline of ``RequestCounters``.

    Args:
        per_key, per_address: requests per minute; 0 means no limit. Anybody can use a publishable
            key, so one address may use up a fifth of its requests.
    """

    def __init__(
        self,
        app: ASGIApp,
        *,
        counters: RequestCounters,
        per_key: int,
        per_address: int,
        breaker: Breaker | None = None,
        local: LocalCounters | None = None,
    ) -> None:
        self._app = app
        self._counters = counters
        self._per_key = Policy("key", per_key)
        self._per_address = Policy("address", per_address)
        self._per_visitor = Policy("visitor", math.ceil(per_key / VISITOR_SHARE))
        self._breaker = breaker or Breaker()
        self._local = local or LocalCounters()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        clients = self._clients_of(scope) if _is_limited(scope) else {}
        if not clients:
            await self._app(scope, receive, send)
            return
        verdict = await self._count(clients)
        if verdict is None:
            await self._limit_locally(clients, scope, receive, send)
            return
        fields = {
            POLICY_HEADER: ", ".join(policy.field for policy in clients),
            QUOTA_HEADER: ", ".join(quota.field for quota in verdict.quotas),
        }

        async def send_with_fields(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(fields)
            await send(message)

        if verdict.refused_by is None:
            await self._app(scope, receive, send_with_fields)
            return
        used_up = next(quota for quota in verdict.quotas if quota.policy == verdict.refused_by)
        await _refuse(used_up, scope, receive, send_with_fields)

    async def _limit_locally(
        self, clients: Mapping[Policy, str], scope: Scope, receive: Receive, send: Send
    ) -> None:
        """The counts of one process say nothing about what is left, so they are not reported."""
        used_up = self._local.count_request(clients)
        if used_up is None:
            await self._app(scope, receive, send)
        else:
            await _refuse(used_up, scope, receive, send)

    def _clients_of(self, scope: Scope) -> Mapping[Policy, str]:
        """For each policy that has a limit, the client it applies to."""
        client = scope.get("client")
        headers = Headers(scope=scope)
        key = credential_identity(headers)
        address = address_identity(client[0] if client else None)
        identities = {self._per_key: key, self._per_address: address}
        if address is not None and is_publishable(headers):
            # First, so that what is refused takes nothing from the key's other visitors.
            identities = {self._per_visitor: f"{key}:{address}", **identities}
        return {
            policy: identity
            for policy, identity in identities.items()
            if policy.limit and identity is not None
        }

    async def _count(self, clients: Mapping[Policy, str]) -> Verdict | None:
        """Count the request; ``None`` while Redis cannot be reached."""
        if not self._breaker.may_try():
            return None
        try:
            verdict = await self._counters.count_request(clients)
        except CountersUnavailable as error:
            if self._breaker.failed():
                _log.warning("rate_limits_suspended", reason=str(error))
            return None
        if self._breaker.succeeded():
            _log.info("rate_limits_resumed")
        return verdict


def _is_limited(scope: Scope) -> bool:
    if scope["type"] != "http" or scope["method"] == "OPTIONS":
        return False
    path: str = scope["path"]
    return path.startswith(LIMITED_PATHS)


async def _refuse(used_up: Quota, scope: Scope, receive: Receive, send: Send) -> None:
    policy, wait = used_up.policy, used_up.reset_seconds
    problem = RateLimited(
        f"At most {policy.limit} requests a minute for each {policy.name}; try again in {wait} s",
        headers={"Retry-After": str(wait)},
        policy=policy.name,
        limit=policy.limit,
        used=policy.limit,
    )
    response = problem_response(problem, scope.get("state", {}).get("request_id"))
    await response(scope, receive, send)
