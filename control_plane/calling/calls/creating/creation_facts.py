"""What decides whether a call may be created, read in one statement: all of one moment.

What never changes, or changes with a number, is only named here: the agent's version by its digest,
the catalogue by its edition.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, and_, bindparam, func, select, true
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.models import Agent, AgentVersion
from control_plane.building.catalogue.models import CatalogueEditionNumber
from control_plane.building.provider_keys.models import ProviderKey
from control_plane.calling.pauses.models import AgentPause, PlatformSwitches
from control_plane.platform.tenancy.models import Plan, Tenant
from pipelines.stack import AvailableKeys


class CreationFacts(NamedTuple):
    calls_enabled: bool
    calls_message: str | None
    """What callers are told while calls are disabled."""
    agent_exists: bool
    pause_reason: str | None
    """``None``: the agent is not paused."""
    version: int | None
    """``None``: nothing of the agent was published."""
    digest: str | None
    tier: str
    sealed_keys: dict[str, Any]
    """The tenant's own provider keys, by provider, as far as its plan allows any."""
    edition: int
    """Of the catalogue."""

    def available_keys(self, platform: frozenset[str]) -> AvailableKeys:
        """
        Args:
            platform: providers that everybody can use here.
        """
        return AvailableKeys(platform, frozenset(self.sealed_keys), self.tier)


async def creation_facts(session: AsyncSession, tenant_id: UUID, agent_id: UUID) -> CreationFacts:
    """The facts for a call of the agent, which need not exist."""
    # Plain columns need nothing of the mapper, which would take more time than the query.
    connection = await session.connection()
    row = (await connection.execute(_facts(), {"tenant": tenant_id, "agent": agent_id})).one()
    return CreationFacts(*row)


@cache
def _facts() -> Select[*tuple[Any, ...]]:
    own_keys = (
        select(func.jsonb_object_agg(ProviderKey.provider, ProviderKey.sealed_key, type_=JSONB))
        .where(ProviderKey.tenant_id == Tenant.id, Plan.byok_allowed)
        .correlate(Tenant, Plan)
        .scalar_subquery()
    )
    return (
        select(
            PlatformSwitches.calls_enabled,
            PlatformSwitches.message,
            Agent.id.is_not(None),
            AgentPause.reason,
            AgentVersion.version,
            AgentVersion.digest,
            Tenant.tier,
            func.coalesce(own_keys, func.jsonb_build_object(type_=JSONB)),
            CatalogueEditionNumber.number,
        )
        .select_from(Tenant)
        .join(Plan, Plan.id == Tenant.plan_id)
        .join(PlatformSwitches, true())
        .join(CatalogueEditionNumber, true())
        .outerjoin(
            Agent,
            and_(
                Agent.tenant_id == Tenant.id,
                Agent.id == bindparam("agent"),
                Agent.deleted_at.is_(None),
            ),
        )
        .outerjoin(AgentPause, AgentPause.agent_id == Agent.id)
        .outerjoin(
            AgentVersion,
            and_(
                AgentVersion.agent_id == Agent.id, AgentVersion.version == Agent.published_version
            ),
        )
        .where(Tenant.id == bindparam("tenant"))
    )
