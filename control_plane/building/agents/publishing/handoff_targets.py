"""What an agent's handoffs lead to, as far as publishing looks at it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.call_plan import MAX_AGENTS
from contracts.tool_bindings import Handoff
from control_plane.building.agents import repository


@dataclass(frozen=True)
class HandoffTargets:
    unpublished: Mapping[UUID, str] = field(default_factory=dict)
    """Agents that have never been published, with their names."""
    missing: frozenset[UUID] = frozenset()
    """Agents that the tenant does not have."""
    too_many: bool = False
    """Whether more than ``MAX_AGENTS`` could talk in one call, the agent itself included."""


async def handoff_targets(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID | None, config: AgentConfig
) -> HandoffTargets:
    """Follow the handoffs of ``config``, and those of the published agents that they lead to.

    Args:
        agent_id: of the agent itself; ``None`` if it has not been saved.
    """
    own = {tool.agent_id for _, tool in handoffs_of(config)} - {agent_id}
    unpublished: dict[UUID, str] = {}
    missing: set[UUID] = set()
    published: set[UUID] = set()
    nearest = own
    while nearest and len(published) < MAX_AGENTS:
        found = await repository.handoffs_of_published(session, tenant_id, nearest)
        if nearest is own:
            missing = own - found.keys()
            unpublished = {
                each: target.name for each, target in found.items() if not target.is_published
            }
        published |= {each for each, target in found.items() if target.is_published}
        further = {each for target in found.values() for each in target.leads_to}
        nearest = further - published - {agent_id}
    return HandoffTargets(unpublished, frozenset(missing), len(published) >= MAX_AGENTS)


def handoffs_of(config: AgentConfig) -> Iterator[tuple[int, Handoff]]:
    """The agent's handoff tools, with their indexes in ``tools``."""
    for index, tool in enumerate(config.tools):
        if isinstance(tool, Handoff):
            yield index, tool
