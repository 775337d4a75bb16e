"""The credential of a long request, which is checked again while the request goes on."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from control_plane.identity.accounts import tokens
from control_plane.identity.accounts.sessions import repository as session_repository
from control_plane.identity.api_keys import repository as key_repository
from control_plane.identity.api_keys import secrets
from control_plane.platform.database import Database


@dataclass(frozen=True)
class Credential:
    kind: Literal["key", "session"]
    secret_hash: bytes
    tenant_id: UUID


def key_credential(key: str, tenant_id: UUID) -> Credential:
    return Credential("key", secrets.hash_of(key), tenant_id)


def session_credential(token: str, tenant_id: UUID) -> Credential:
    return Credential("session", tokens.hash_of(token), tenant_id)


async def still_open(database: Database, credentials: Collection[Credential]) -> set[Credential]:
    """Those that would be accepted now, too: keys that are not revoked, and sessions that go on in
    the same tenant.

    Raises:
        DatabaseUnavailable: PostgreSQL is down.
    """
    now = datetime.now(UTC)
    hashes: dict[str, set[bytes]] = {"key": set(), "session": set()}
    for credential in credentials:
        hashes[credential.kind].add(credential.secret_hash)
    async with database.system_session() as session:
        accepted = {
            Credential("key", secret_hash, tenant_id)
            for secret_hash, tenant_id in await key_repository.valid_secrets(
                session, hashes["key"], now=now
            )
        } | {
            Credential("session", token_hash, tenant_id)
            for token_hash, tenant_id in await session_repository.open_tokens(
                session, hashes["session"], now=now
            )
        }
    return accepted.intersection(credentials)
