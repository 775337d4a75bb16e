"""Finds the caller of a bearer token."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime, timedelta

from contracts.versions import read_object
from control_plane.identity.accounts.errors import TooManyAttempts
from control_plane.identity.accounts.login.attempts import (
    OPERATOR_TOKENS_PER_ADDRESS,
    count_attempt,
    network_of,
    refuse_if_used_up,
)
from control_plane.identity.api_keys import repository, secrets
from control_plane.identity.api_keys.repository import FoundKey
from control_plane.identity.api_keys.schemas import CallLimits
from control_plane.identity.authentication.errors import OriginNotAllowed
from control_plane.platform.database import Database
from control_plane.platform.errors import Unauthorized
from control_plane.platform.tenancy.caller import (
    Actor,
    CallContentLimits,
    Caller,
    PublishableScope,
    RequestOrigin,
)

_LAST_USED_RESOLUTION = timedelta(minutes=1)


async def caller_of_key(database: Database, key: str | None, origin: RequestOrigin) -> Caller:
    """The tenant and scope of the key.

    Raises:
        Unauthorized: there is no key, or it is malformed, unknown, revoked, or replaced by a
            rotation whose overlap is over.
        OriginNotAllowed: the publishable key does not permit the page's origin.
        DatabaseUnavailable: PostgreSQL is down.
    """
    if key is None:
        raise Unauthorized("Send your API key: 'Authorization: Bearer sb_secret_…'")
    if not secrets.is_well_formed(key):
        raise Unauthorized("The bearer token is not an API key of this service")
    now = datetime.now(UTC)
    async with database.system_statements() as session:
        found = await repository.find_by_secret(session, secrets.hash_of(key), now=now)
        if found is None:
            raise Unauthorized("This API key is unknown, revoked or replaced by a rotation")
        _check_origin(found, origin.page)
        await repository.touch(session, found, used_at=now, older_than=now - _LAST_USED_RESOLUTION)
    return Caller(
        tenant_id=found.tenant_id,
        actor=Actor(
            "secret_key" if found.kind == "secret" else "publishable_key", found.id, found.name
        ),
        origin=origin,
        publishable=_scope_of(found),
    )


def _scope_of(key: FoundKey) -> PublishableScope | None:
    if key.kind == "secret":
        return None
    return PublishableScope(
        channels=frozenset(key.allowed_channels),
        agent_ids=None if key.allowed_agent_ids is None else frozenset(key.allowed_agent_ids),
        phone_agent_id=key.phone_agent_id,
        phone_countries=None if key.phone_countries is None else frozenset(key.phone_countries),
        phone_calls_per_day=key.phone_calls_per_day,
        call_limits=_call_limits_of(key),
    )


def _call_limits_of(key: FoundKey) -> CallContentLimits:
    if key.call_limits is None:
        return CallContentLimits()
    return CallContentLimits(**read_object(CallLimits, key.call_limits).model_dump())


def _check_origin(key: FoundKey, page: str | None) -> None:
    """Keys store origins in the form in which browsers send them, so comparing them for equality is
    enough."""
    if key.allowed_origins is None or page in key.allowed_origins:
        return
    if page is None:
        raise OriginNotAllowed(
            "This publishable key works only on web pages; the request has no Origin header"
        )
    raise OriginNotAllowed(f"This publishable key does not permit the origin '{page[:200]}'")


async def check_operator(
    database: Database, expected: str | None, given: str | None, origin: RequestOrigin
) -> None:
    """An address that has sent too many wrong tokens is refused with the right one, too: otherwise
    it could go on guessing.

    Raises:
        Unauthorized: the token is wrong, or the installation has no operator token.
        TooManyAttempts: too many wrong tokens have come from the address.
        DatabaseUnavailable: PostgreSQL is down.
    """
    refusal = Unauthorized(
        "Send the operator token of this installation: 'Authorization: Bearer …'"
    )
    if not expected or not given:
        raise refusal
    now, counter = datetime.now(UTC), OPERATOR_TOKENS_PER_ADDRESS.of(network_of(origin.address))
    try:
        await refuse_if_used_up(database, counter, now)
    except TooManyAttempts as refused:
        refused.holds_for_address = True
        raise
    if not hmac.compare_digest(expected.encode(), given.encode()):
        # A tenant's key is a mistake and no guess: it has 256 random bits.
        if not secrets.is_well_formed(given):
            await count_attempt(database, [counter], now)
        raise refusal
