"""Setting and deleting a tenant's own provider keys."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.sealing import Sealer
from control_plane.building.provider_keys import repository
from control_plane.building.provider_keys.errors import (
    KEYED_PROVIDERS,
    OwnKeysNotAllowed,
    ProviderKeyNotFound,
    UnknownProvider,
)
from control_plane.building.provider_keys.models import ProviderKey
from control_plane.building.provider_keys.own_server import server_of, verify_server
from control_plane.building.provider_keys.schemas import ProviderKeySet
from control_plane.building.provider_keys.verification import verify_key
from control_plane.platform.audit.recording import record_change
from control_plane.platform.database import Database
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.tenancy.caller import Caller
from outbound.policy import OutboundPolicy
from outbound.resolver import Resolver
from pipelines.settings import OPENAI_COMPATIBLE

_SHOWN = 4


async def set_key(
    database: Database,
    caller: Caller,
    provider: str,
    wanted: ProviderKeySet,
    *,
    sealer: Sealer,
    base_urls: Mapping[str, str],
    policy: OutboundPolicy,
    resolver: Resolver,
) -> ProviderKey:
    """Test the key, then store it. It replaces the tenant's previous key for the provider.

    Opens its own transactions, so that none of them waits for the provider's answer.

    Args:
        base_urls: addresses that replace the vendors' own, by provider.
        policy: where a server of the tenant's own may be.

    Raises:
        UnknownProvider: no such provider takes a key.
        InvalidRequest: a field is missing, or belongs to another provider; or the tenant's own
            server has an address that must not be called, or not the models.
        OwnKeysNotAllowed: the tenant's plan does not include them.
        ProviderKeyRejected: the provider does not accept the key.
        ProviderUnreachable: the provider could not be asked.
    """
    if provider not in KEYED_PROVIDERS:
        raise UnknownProvider(provider)
    is_server = provider == OPENAI_COMPATIBLE
    if not is_server:
        _check_fields(provider, wanted)
    async with database.tenant_session(caller.tenant_id) as session:
        if not await repository.own_keys_allowed(session, caller.tenant_id):
            raise OwnKeysNotAllowed
    key = "" if wanted.key is None else wanted.key.get_secret_value()
    server = await server_of(wanted, policy, resolver) if is_server else None
    verified_at = None
    if wanted.verify:
        if server is None:
            await verify_key(provider, key, base_urls)
        else:
            await verify_server(server, key, policy, resolver)
        verified_at = datetime.now(UTC)
    async with database.tenant_session(caller.tenant_id) as session:
        record_change(
            session,
            caller,
            "provider_key.set",
            target_id=provider,
            changes={"verified": wanted.verify},
        )
        return await repository.put(
            session,
            caller.tenant_id,
            provider,
            sealed_key=sealer.seal(key),
            last_four=key[-_SHOWN:],
            verified_at=verified_at,
            server=server,
        )


def _check_fields(provider: str, wanted: ProviderKeySet) -> None:
    """Of a vendor's key."""
    if wanted.key is None:
        raise InvalidRequest.at("key", f"is needed: your API key of {provider}")
    for field in ("base_url", "models", "name"):
        if getattr(wanted, field) is not None:
            raise InvalidRequest.at(
                field, f"is only for {OPENAI_COMPATIBLE}: leave it out for {provider}"
            )


async def delete_key(session: AsyncSession, caller: Caller, provider: str) -> None:
    """Delete the key. Calls that were created with it continue to use it.

    Raises:
        UnknownProvider: no such provider takes a key.
        ProviderKeyNotFound: the tenant has not set a key for it.
    """
    if provider not in KEYED_PROVIDERS:
        raise UnknownProvider(provider)
    if not await repository.remove(session, caller.tenant_id, provider):
        raise ProviderKeyNotFound(f"You have not set a key for {provider}")
    record_change(session, caller, "provider_key.deleted", target_id=provider)
