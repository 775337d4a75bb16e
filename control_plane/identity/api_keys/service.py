"""Creating, changing, rotating and revoking API keys."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Literal
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.identity.api_keys import repository
from control_plane.identity.api_keys.errors import ApiKeyNotFound, ApiKeyRevokedAlready
from control_plane.identity.api_keys.models import ApiKey, ApiKeySecret
from control_plane.identity.api_keys.schemas import ApiKeyCreate, ApiKeyUpdate, ApiKeyView, KeyScope
from control_plane.identity.api_keys.scope import set_scope
from control_plane.identity.api_keys.secrets import KeyKind, new_key
from control_plane.platform.audit.recording import record_change
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.tenancy.caller import Caller
from control_plane.platform.tenancy.directories import AgentDirectory


async def create_secret_key(
    session: AsyncSession, tenant_id: UUID, *, name: str
) -> tuple[ApiKey, str]:
    """The stored record, and the key to show once. Emits ``system.api_key_created``."""
    record = _unsaved(tenant_id, name, "secret")
    return record, await _issue_secret(session, record, reason="created")


async def create_key(
    session: AsyncSession, caller: Caller, wanted: ApiKeyCreate, agents: AgentDirectory
) -> tuple[ApiKey, str]:
    """The stored record, and the key to show once. Emits ``system.api_key_created`` if secret.

    Raises:
        InvalidRequest: a scope for a secret key, an agent that the tenant does not have, or the
            channel ``phone`` without an agent for it.
    """
    record = _unsaved(caller.tenant_id, wanted.name, wanted.kind)
    if wanted.kind == "publishable":
        record.allowed_channels = ["web"]
    scope = wanted.model_dump(include=set(KeyScope.model_fields), exclude_none=True)
    await set_scope(session, record, scope, agents)
    secret = await _issue_secret(session, record, reason="created")
    record_change(
        session,
        caller,
        "api_key.created",
        target_id=record.id,
        changes={"name": record.name, "kind": record.kind},
    )
    return record, secret


async def update_key(
    session: AsyncSession,
    caller: Caller,
    key_id: UUID,
    wanted: ApiKeyUpdate,
    agents: AgentDirectory,
) -> ApiKey:
    """Rename a key, or change what a publishable key may do. Fields that were not sent stay.

    Raises:
        ApiKeyNotFound, ApiKeyRevokedAlready
        InvalidRequest: as for ``create_key``, or ``null`` for a field that needs a value.
    """
    key = await _locked_key(session, caller.tenant_id, key_id)
    sent = wanted.model_dump(exclude_unset=True)
    for field in ("name", "allowed_channels"):
        if field in sent and sent[field] is None:
            raise InvalidRequest.at(field, "must not be null; leave it out to keep its value")
    before = _shown(key, sent)
    key.name = sent.pop("name", key.name)
    await set_scope(session, key, sent, agents)
    after = _shown(key, before)
    changes = {field: [before[field], after[field]] for field in before}
    record_change(session, caller, "api_key.updated", target_id=key.id, changes=changes)
    return key


async def rotate_key(
    session: AsyncSession, caller: Caller, key_id: UUID, *, overlap_seconds: int
) -> tuple[ApiKey, str]:
    """Give the key a new secret, to show once. Its id, name and scope stay.

    Every older secret ends after ``overlap_seconds`` or at the time that an earlier rotation set,
    whichever comes first.

    Raises:
        ApiKeyNotFound, ApiKeyRevokedAlready
    """
    key = await _locked_key(session, caller.tenant_id, key_id)
    now = datetime.now(UTC)
    await repository.end_secrets(session, key, at=now + timedelta(seconds=overlap_seconds), now=now)
    secret = await _issue_secret(session, key, reason="rotated")
    changes = {"overlap_seconds": overlap_seconds}
    record_change(session, caller, "api_key.rotated", target_id=key.id, changes=changes)
    return key, secret


async def revoke_key(session: AsyncSession, caller: Caller, key_id: UUID) -> None:
    """Revoke a key and all its secrets for good, at once. Revoking it again changes nothing.

    Raises:
        ApiKeyNotFound: the tenant has no such key.
    """
    key = await repository.find(session, caller.tenant_id, key_id, for_update=True)
    if key is None:
        raise ApiKeyNotFound
    if key.revoked_at is not None:
        return
    now = datetime.now(UTC)
    key.revoked_at = now
    await repository.end_secrets(session, key, at=now, now=now)
    record_change(session, caller, "api_key.revoked", target_id=key.id, changes={"name": key.name})
    add_notification_event(
        session,
        key.tenant_id,
        "system.api_key_revoked",
        title="API key revoked",
        message=f"The {key.kind} key “{key.name}” was revoked and no longer works.",
        metadata=_named(key),
    )


def _unsaved(tenant_id: UUID, name: str, kind: KeyKind) -> ApiKey:
    return ApiKey(
        id=uuid4(),
        tenant_id=tenant_id,
        name=name,
        kind=kind,
        allowed_channels=[],
        allowed_origins=None,
        allowed_agent_ids=None,
        phone_agent_id=None,
        phone_countries=None,
        phone_calls_per_day=None,
        call_limits=None,
        last_used_at=None,
        revoked_at=None,
    )


async def _issue_secret(
    session: AsyncSession, key: ApiKey, *, reason: Literal["created", "rotated"]
) -> str:
    """Store the hash of a new secret, which becomes the key's newest, and return the secret."""
    new = new_key(key.kind)
    key.hint = new.hint
    session.add(key)
    await session.flush()
    session.add(
        ApiKeySecret(
            key_hash=new.key_hash, tenant_id=key.tenant_id, api_key_id=key.id, expires_at=None
        )
    )
    await session.flush()
    if key.kind == "secret":
        add_notification_event(
            session,
            key.tenant_id,
            "system.api_key_created",
            title="New secret API key",
            message=f"The secret key “{key.name}” ({new.hint}) was {reason}.",
            metadata=_named(key) | {"reason": reason},
        )
    return new.key


async def _locked_key(session: AsyncSession, tenant_id: UUID, key_id: UUID) -> ApiKey:
    key = await repository.find(session, tenant_id, key_id, for_update=True)
    if key is None:
        raise ApiKeyNotFound
    if key.revoked_at is not None:
        raise ApiKeyRevokedAlready("A revoked key cannot be changed; create a new key")
    return key


def _shown(key: ApiKey, fields: Iterable[str]) -> dict[str, Any]:
    return ApiKeyView.model_validate(key).model_dump(mode="json", include=set(fields))


def _named(key: ApiKey) -> dict[str, Any]:
    return {"api_key_id": str(key.id), "name": key.name, "kind": key.kind}
