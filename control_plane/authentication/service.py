"""Turning a bearer token into a caller."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime, timedelta

from control_plane.api_keys import repository, secrets
from control_plane.api_keys.models import ApiKey
from control_plane.authentication.caller import Actor, Caller, PublishableScope, RequestOrigin
from control_plane.database import Database
from control_plane.errors import Unauthorized

_LAST_USED_RESOLUTION = timedelta(minutes=1)


async def caller_of_key(database: Database, key: str | None, origin: RequestOrigin) -> Caller:
    """Find the key's owner.

    Raises:
        Unauthorized: no key, not a key, an unknown or a revoked one.
        DatabaseUnavailable: PostgreSQL is away.
    """
    if key is None:
        raise Unauthorized("Send your API key: 'Authorization: Bearer sb_secret_…'")
    if not secrets.is_well_formed(key):
        raise Unauthorized("The bearer token is not an API key of this service")
    now = datetime.now(UTC)
    async with database.system_session() as session:
        found = await repository.find_active_by_hash(session, secrets.hash_of(key))
        if found is None:
            raise Unauthorized("This API key is unknown or revoked")
        await repository.touch(session, found, used_at=now, older_than=now - _LAST_USED_RESOLUTION)
    return Caller(
        tenant_id=found.tenant_id,
        actor=Actor(
            "secret_key" if found.kind == "secret" else "publishable_key", found.id, found.name
        ),
        origin=origin,
        publishable=_scope_of(found),
    )


def _scope_of(key: ApiKey) -> PublishableScope | None:
    if key.kind == "secret":
        return None
    return PublishableScope(
        channels=frozenset(key.allowed_channels),
        agent_ids=None if key.allowed_agent_ids is None else frozenset(key.allowed_agent_ids),
    )


def check_operator(expected: str | None, given: str | None) -> None:
    """
    Raises:
        Unauthorized: the token is wrong, or the installation has no operator token.
    """
    if not expected or not given or not hmac.compare_digest(expected.encode(), given.encode()):
        raise Unauthorized("This route needs the operator token of the installation")
