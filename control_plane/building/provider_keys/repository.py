"""Every query on tenants' own provider keys."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import delete, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.provider_keys.models import ProviderKey
from control_plane.platform.tenancy.models import Plan, Tenant


@dataclass(frozen=True)
class OwnServer:
    """A model server of a tenant: Ollama, vLLM, llama.cpp and others.

    Args:
        base_url: the root of its API, without a slash at its end.
        models: that agents may use, best first; at least one.
    """

    base_url: str
    display_name: str
    models: tuple[str, ...]


async def list_keys(session: AsyncSession, tenant_id: UUID) -> Sequence[ProviderKey]:
    keys = await session.scalars(
        select(ProviderKey).where(ProviderKey.tenant_id == tenant_id).order_by(ProviderKey.provider)
    )
    return keys.all()


async def sealed_keys(
    session: AsyncSession, tenant_id: UUID, providers: Collection[str]
) -> dict[str, str]:
    """The tenant's sealed keys for ``providers``, by provider."""
    rows = await session.execute(
        select(ProviderKey.provider, ProviderKey.sealed_key).where(
            ProviderKey.tenant_id == tenant_id, ProviderKey.provider.in_(providers)
        )
    )
    return {row.provider: row.sealed_key for row in rows}


async def own_server(session: AsyncSession, tenant_id: UUID) -> OwnServer | None:
    """The tenant's own model server, whether its plan allows one or not."""
    row = (
        await session.execute(
            select(ProviderKey.base_url, ProviderKey.display_name, ProviderKey.models).where(
                ProviderKey.tenant_id == tenant_id, ProviderKey.base_url.is_not(None)
            )
        )
    ).one_or_none()
    return None if row is None else OwnServer(row.base_url, row.display_name, tuple(row.models))


async def put(
    session: AsyncSession,
    tenant_id: UUID,
    provider: str,
    *,
    sealed_key: str,
    last_four: str,
    verified_at: datetime | None,
    server: OwnServer | None = None,
) -> ProviderKey:
    """Store the key, or replace the tenant's key for the provider."""
    values = {
        "sealed_key": sealed_key,
        "last_four": last_four,
        "verified_at": verified_at,
        "base_url": None if server is None else server.base_url,
        "display_name": None if server is None else server.display_name,
        "models": None if server is None else list(server.models),
    }
    statement = (
        insert(ProviderKey)
        .values(tenant_id=tenant_id, provider=provider, **values)
        .on_conflict_do_update(
            index_elements=[ProviderKey.tenant_id, ProviderKey.provider],
            set_=values | {"updated_at": func.now()},
        )
        .returning(ProviderKey)
    )
    return (await session.scalars(statement)).one()


async def remove(session: AsyncSession, tenant_id: UUID, provider: str) -> bool:
    """Delete the key. Returns whether there was one."""
    removed = await session.scalar(
        delete(ProviderKey)
        .where(ProviderKey.tenant_id == tenant_id, ProviderKey.provider == provider)
        .returning(ProviderKey.provider)
    )
    return removed is not None


async def tier_and_own_providers(
    session: AsyncSession, tenant_id: UUID
) -> tuple[str, frozenset[str], tuple[str, ...]]:
    """The tenant's tier, and if its plan allows any keys of its own: the providers that it has some
    for, and the models of its own server."""
    own = (
        select(func.coalesce(func.array_agg(ProviderKey.provider), []))
        .where(ProviderKey.tenant_id == tenant_id, Plan.byok_allowed)
        .scalar_subquery()
    )
    models = (
        select(ProviderKey.models)
        .where(
            ProviderKey.tenant_id == tenant_id,
            ProviderKey.base_url.is_not(None),
            Plan.byok_allowed,
        )
        .scalar_subquery()
    )
    statement = (
        select(Tenant.tier, own, models)
        .join(Plan, Plan.id == Tenant.plan_id)
        .where(Tenant.id == tenant_id)
    )
    tier, providers, own_models = (await session.execute(statement)).one()
    return tier, frozenset(providers or ()), tuple(own_models or ())


async def own_keys_allowed(session: AsyncSession, tenant_id: UUID) -> bool:
    """Whether the tenant's plan allows keys of its own."""
    allowed: bool | None = await session.scalar(
        select(Plan.byok_allowed)
        .join(Tenant, Tenant.plan_id == Plan.id)
        .where(Tenant.id == tenant_id)
    )
    return bool(allowed)
