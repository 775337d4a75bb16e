"""What an agent's handoffs lead to, as far as publishing looks at it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.call_plan import MAX_AGENTS
from contracts.tool_bindings import Handoff
from contracts.versions import read_object
from control_plane.building.agents import repository
from control_plane.building.agents.stacks import report_stacks
from pipelines.stack import AvailableKeys, StackCatalogue


@dataclass(frozen=True)
class UnservedTarget:
    """A published agent that could not talk in some of its languages now."""

    name: str
    problems: tuple[str, ...]
    """Sentences, each beginning with its locale."""


@dataclass(frozen=True)
class HandoffTargets:
    unpublished: Mapping[UUID, str] = field(default_factory=dict)
    """Agents that have never been published, with their names."""
    missing: frozenset[UUID] = frozenset()
    """Agents that the tenant does not have."""
    unserved: Mapping[UUID, UnservedTarget] = field(default_factory=dict)
    too_many: bool = False
    """Whether more than ``MAX_AGENTS`` could talk in one call, the agent itself included."""


async def handoff_targets(
    session: AsyncSession,
    tenant_id: UUID,
    agent_id: UUID | None,
    config: AgentConfig,
    catalogue: StackCatalogue,
    keys: AvailableKeys,
) -> HandoffTargets:
    """Follow the handoffs of ``config``, and those of the published agents that they lead to.

    Args:
        agent_id: of the agent itself; ``None`` if it has not been saved.
        catalogue, keys: what the agents that it leads to can be served with now.
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
    configs = await repository.published_configs(session, tenant_id, own)
    unserved = await asyncio.to_thread(_unserved, configs, catalogue, keys)
    too_many = len(published) >= MAX_AGENTS
    return HandoffTargets(unpublished, frozenset(missing), unserved, too_many)


def _unserved(
    configs: Mapping[UUID, dict[str, Any]], catalogue: StackCatalogue, keys: AvailableKeys
) -> dict[UUID, UnservedTarget]:
    found = {}
    for agent_id, document in configs.items():
        target = read_object(AgentConfig, document)
        if problems := report_stacks(target, catalogue, keys).blockers:
            found[agent_id] = UnservedTarget(target.name, tuple(problems))
    return found


def handoffs_of(config: AgentConfig) -> Iterator[tuple[int, Handoff]]:
    """The agent's handoff tools, with their indexes in ``tools``."""
    for index, tool in enumerate(config.tools):
        if isinstance(tool, Handoff):
            yield index, tool
