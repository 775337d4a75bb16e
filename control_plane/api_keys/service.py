"""Making, listing and revoking API keys."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.agents import repository as agents
from control_plane.api_keys import repository
from control_plane.api_keys.errors import ApiKeyNotFound
from control_plane.api_keys.models import ApiKey
from control_plane.api_keys.schemas import ApiKeyCreate
from control_plane.api_keys.secrets import KeyKind, new_key
from control_plane.errors import InvalidRequest


async def create_secret_key(
    session: AsyncSession, tenant_id: UUID, *, name: str
) -> tuple[ApiKey, str]:
    """The stored record, and the key to show once."""
    return await _create(session, tenant_id, name=name, kind="secret", channels=[], agent_ids=None)


async def create_key(
    session: AsyncSession, tenant_id: UUID, wanted: ApiKeyCreate
) -> tuple[ApiKey, str]:
    """The stored record, and the key to show once.

    Raises:
        InvalidRequest: ``allowed_agent_ids`` names an agent that the tenant does not have.
    """
    if wanted.kind == "secret":
        return await create_secret_key(session, tenant_id, name=wanted.name)
    if wanted.allowed_agent_ids is not None:
        known = await agents.existing_ids(session, tenant_id, wanted.allowed_agent_ids)
        if unknown := wanted.allowed_agent_ids - known:
            raise InvalidRequest.at(
                "allowed_agent_ids", f"you have no agent {', '.join(sorted(map(str, unknown)))}"
            )
    return await _create(
        session,
        tenant_id,
        name=wanted.name,
        kind="publishable",
        channels=sorted(wanted.allowed_channels or {"web"}),
        agent_ids=None if wanted.allowed_agent_ids is None else sorted(wanted.allowed_agent_ids),
    )


async def _create(
    session: AsyncSession,
    tenant_id: UUID,
    *,
    name: str,
    kind: KeyKind,
    channels: list[str],
    agent_ids: list[UUID] | None,
) -> tuple[ApiKey, str]:
    new = new_key(kind)
    record = ApiKey(
        tenant_id=tenant_id,
        name=name,
        kind=kind,
        hint=new.hint,
        key_hash=new.key_hash,
        allowed_channels=channels,
        allowed_agent_ids=agent_ids,
        last_used_at=None,
        revoked_at=None,
    )
    session.add(record)
    await session.flush()
    return record, new.key


async def revoke_key(session: AsyncSession, tenant_id: UUID, key_id: UUID) -> None:
    """Close a key for good, at once. Revoking it again changes nothing.

    Raises:
        ApiKeyNotFound: the tenant has no such key.
    """
    key = await repository.find(session, tenant_id, key_id)
    if key is None:
        raise ApiKeyNotFound
    if key.revoked_at is None:
        key.revoked_at = datetime.now(UTC)
