"""Turning a bearer token into a caller."""

from __future__ import annotations

import hmac
from datetime import UTC, datetime, timedelta
from typing import cast

from control_plane.api_keys import repository, secrets
from control_plane.authentication.caller import Caller
from control_plane.database import Database
from control_plane.errors import Unauthorized

_LAST_USED_RESOLUTION = timedelta(minutes=1)


async def authenticate(database: Database, key: str | None) -> Caller:
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
        key_id=found.id,
        kind=cast(secrets.KeyKind, found.kind),
        channels=frozenset(found.allowed_channels),
        agent_ids=None if found.allowed_agent_ids is None else frozenset(found.allowed_agent_ids),
    )


def check_operator(expected: str | None, given: str | None) -> None:
    """
    Raises:
        Unauthorized: the token is wrong, or the installation has no operator token.
    """
    if not expected or not given or not hmac.compare_digest(expected.encode(), given.encode()):
        raise Unauthorized("This route needs the operator token of the installation")
