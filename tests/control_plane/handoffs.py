"""Agents that hand over to each other, for tests."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from control_plane.building.provider_keys.models import ProviderKey
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient


def handoff(to: UUID, name: str = "to_sales") -> dict[str, Any]:
    return {
        "type": "handoff",
        "name": name,
        "description": "For new customers.",
        "agent_id": str(to),
    }


async def hand_over(tenant: TenantClient, agent_id: UUID, *targets: UUID) -> None:
    """Give the agent one handoff for each target, and publish it."""
    tools = [handoff(target, f"to_{number}") for number, target in enumerate(targets)]
    changed = await tenant.request("PATCH", f"/v1/agents/{agent_id}", json={"tools": tools})
    assert changed.status_code == 200, changed.text
    published = await tenant.post(f"/v1/agents/{agent_id}/publish")
    assert published.status_code == 200, published.text


async def own_openai_key(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> str:
    """Give the tenant a key of its own, which makes that provider's part of a price $0."""
    sealed = settings.sealer.seal("sk-of-the-tenant")
    async with database.system_session() as session:
        key = ProviderKey(
            tenant_id=tenant.tenant_id, provider="openai", sealed_key=sealed, last_four="nant"
        )
        session.add(key)
    return sealed
