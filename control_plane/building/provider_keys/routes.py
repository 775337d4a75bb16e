"""``/v1/provider-keys``: the tenant's own keys for speech and language providers."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from control_plane.building.agents.tenant_addresses import TenantResolver
from control_plane.building.provider_keys import repository, service
from control_plane.building.provider_keys.errors import (
    KEYED_PROVIDERS,
    OwnKeysNotAllowed,
    ProviderKeyNotFound,
    ProviderKeyRejected,
    ProviderUnreachable,
    UnknownProvider,
)
from control_plane.building.provider_keys.schemas import (
    ProviderKeyDeleted,
    ProviderKeyList,
    ProviderKeySet,
    ProviderKeyView,
)
from control_plane.identity.authentication.dependencies import AdminCaller, TenantSession
from control_plane.identity.authentication.refusals import ADMIN_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute
from control_plane.identity.idempotent_requests.two_phase import EffectOncePerKey
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.http.openapi import problems
from control_plane.platform.idempotency.errors import IdempotencyKeyInUse
from outbound.policy import OutboundPolicy

router = APIRouter(
    prefix="/v1/provider-keys",
    tags=["provider keys"],
    responses=problems(*ADMIN_ONLY),
    route_class=IdempotentRoute,
)
_Provider = Annotated[str, Path(description=f"One of {', '.join(KEYED_PROVIDERS)}.")]


@router.get("")
async def list_provider_keys(caller: AdminCaller, session: TenantSession) -> ProviderKeyList:
    """List the providers that you have set a key for. The keys themselves are never shown."""
    keys = await repository.list_keys(session, caller.tenant_id)
    return ProviderKeyList(provider_keys=[ProviderKeyView.of(key) for key in keys])


@router.put(
    "/{provider}",
    responses=problems(
        *ADMIN_ONLY,
        ProviderKeyRejected,
        OwnKeysNotAllowed,
        UnknownProvider,
        ProviderUnreachable,
        IdempotencyKeyInUse,
    ),
)
async def set_provider_key(
    provider: _Provider,
    wanted: ProviderKeySet,
    caller: AdminCaller,
    database: AppDatabase,
    settings: AppSettings,
    resolver: TenantResolver,
    _: EffectOncePerKey,
) -> ProviderKeyView:
    """Set or replace your key for a provider. The key is tested with the provider first, stored
    encrypted, and never shown again.

    Your agents then use it for everything they use that provider for. Those parts of a call cost
    you nothing here, because the provider bills you directly.

    `openai_compatible` is a server of your own with OpenAI's Chat Completions, such as Ollama or
    vLLM: give its `base_url` and its `models`. The `key` is optional there."""
    record = await service.set_key(
        database,
        caller,
        provider,
        wanted,
        sealer=settings.sealer,
        base_urls=settings.provider_base_urls,
        policy=OutboundPolicy(settings.outbound_allowed_networks),
        resolver=resolver,
    )
    return ProviderKeyView.of(record)


@router.delete("/{provider}", responses=problems(UnknownProvider, ProviderKeyNotFound))
async def delete_provider_key(
    provider: _Provider, caller: AdminCaller, session: TenantSession
) -> ProviderKeyDeleted:
    """Delete your key for a provider. Calls that were created with it continue."""
    await service.delete_key(session, caller, provider)
    return ProviderKeyDeleted(provider=provider)
