"""How many calls a tenant, a publishable key and a client address may have open. Pure.

A publishable key is on a web page, so anybody can use it. Each call that it creates holds credit
and soon a worker's slot. The caps keep a stranger from holding all of them: the key and the address
have caps of their own, and a fifth of the tenant's caps is kept for its secret keys and its people.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple
from uuid import UUID

from control_plane.calling.calls.errors import CappedClient, OpenCallKind, TooManyCalls
from control_plane.identity.request_limits.client_identity import address_identity
from control_plane.platform.settings import CallCapSettings
from control_plane.platform.tenancy.caller import Caller

MOST_REQUESTS_AT_ONCE = 40
"""How many requests of one tenant may create calls at the same moment. Two API processes have so
many database connections."""
KEPT_SHARE = 5
"""One of so many calls is kept for callers without a publishable key."""


@dataclass(frozen=True)
class Stranger:
    """Who creates a call with a publishable key."""

    key_id: UUID
    address: str | None
    """An IPv4 address or the /64 network of an IPv6 address."""
    may_set_undeclared_variables: bool = False
    may_call_phones: bool = False

    @classmethod
    def behind(cls, caller: Caller) -> Stranger | None:
        """``None`` if the caller does not use a publishable key."""
        if caller.publishable is None or caller.actor.id is None:
            return None
        return cls(
            caller.actor.id,
            address_identity(caller.origin.address),
            caller.publishable.call_limits.undeclared_variables,
            "phone" in caller.publishable.channels,
        )


class OpenCalls(NamedTuple):
    """The tenant's calls that are not over and not queued for a phone; then those of the stranger's
    key, and those of its address. ``not_joined`` are the browser calls in which nobody is yet."""

    at_once: int
    not_joined: int
    key_at_once: int
    key_not_joined: int
    address_at_once: int
    address_not_joined: int

    def without_the_newest(self) -> OpenCalls:
        """Without the call that was just created."""
        return OpenCalls(*(max(0, count - 1) for count in self))


@dataclass(frozen=True)
class Cap:
    client: CappedClient
    kind: OpenCallKind
    limit: int

    def used(self, calls: OpenCalls) -> int:
        prefix = "" if self.client == "tenant" else f"{self.client}_"
        used: int = getattr(calls, prefix + self.kind)
        return used


def caps_of(
    settings: CallCapSettings,
    stranger: Stranger | None,
    *,
    tenant_at_once: int | None,
    tenant_not_joined: int | None,
) -> list[Cap]:
    """The caps on a new call.

    Args:
        tenant_at_once, tenant_not_joined: the tenant's own caps; ``None``: as the settings say.
    """
    at_once = settings.calls_at_once_per_tenant if tenant_at_once is None else tenant_at_once
    not_joined = (
        settings.calls_not_joined_per_tenant if tenant_not_joined is None else tenant_not_joined
    )
    if stranger is None:
        caps = [Cap("tenant", "at_once", at_once), Cap("tenant", "not_joined", not_joined)]
    else:
        caps = [
            Cap("tenant", "at_once", at_once - at_once // KEPT_SHARE),
            Cap("tenant", "not_joined", not_joined - not_joined // KEPT_SHARE),
            Cap("key", "at_once", settings.calls_at_once_per_key),
            Cap("key", "not_joined", settings.calls_not_joined_per_key),
            Cap("address", "at_once", settings.calls_at_once_per_address),
            Cap("address", "not_joined", settings.calls_not_joined_per_address),
        ]
    return [cap for cap in caps if cap.limit]


def is_near(caps: Iterable[Cap], calls: OpenCalls) -> bool:
    """Whether simultaneous requests could exceed a cap, if each saw only ``calls``."""
    return any(cap.used(calls) + MOST_REQUESTS_AT_ONCE > cap.limit for cap in caps)


def check_caps(caps: Iterable[Cap], calls: OpenCalls, stranger: Stranger | None) -> None:
    """Check that ``calls`` leaves room for one more.

    Raises:
        TooManyCalls: a cap is reached.
    """
    for cap in caps:
        if (used := cap.used(calls)) >= cap.limit:
            # A phone call has no cap, so this says nothing about the next call of such a key.
            only_web = stranger is not None and not stranger.may_call_phones
            raise TooManyCalls(cap.client, cap.kind, cap.limit, used, holds_for_client=only_web)
