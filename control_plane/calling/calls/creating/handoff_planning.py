"""The agents that can take over in a call, as its plan freezes them.

An agent that cannot take over is left out, and with it the tools that lead to it: the call goes on
without them, and its event log says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.call_plan import MAX_AGENTS, PlannedAgent, PriceRow
from contracts.tool_bindings import Handoff
from control_plane.building.catalogue.edition import CatalogueEdition
from control_plane.building.knowledge_sources import repository as knowledge_sources
from control_plane.building.knowledge_sources.models import KnowledgeSource
from control_plane.calling.calls.creating import repository
from control_plane.calling.calls.creating.creation_facts import HandoffFacts
from control_plane.calling.calls.creating.filled_texts import fill_texts_aside
from control_plane.calling.calls.creating.planned_sources import planned_sources
from control_plane.calling.calls.creating.published_agent import PublishedAgents
from control_plane.calling.calls.creating.resolved_stacks import ResolvedStacks
from pipelines.stack import AvailableKeys, StackProblem


@dataclass(frozen=True)
class HandoffTerms:
    """What all agents of one call have in common."""

    tenant_id: UUID
    locale: str
    """The language in which the call begins."""
    variables: Mapping[str, object]
    catalogue: CatalogueEdition
    keys: AvailableKeys
    at: datetime
    telecom_prices: tuple[PriceRow, ...] = ()
    """Of the call's phone legs: they cost the same whoever talks."""


@dataclass
class HandoffPlanning:
    """Finds the agents of one call. Use it once."""

    session: AsyncSession
    published: PublishedAgents
    stacks: ResolvedStacks
    terms: HandoffTerms
    agents: dict[UUID, PlannedAgent] = field(default_factory=dict)
    """Those that can take over, the nearest first."""
    declared_variables: set[str] = field(default_factory=set)
    """The variables that the texts of ``agents`` use."""
    warnings: list[str] = field(default_factory=list)
    """Sentences for the call's event log."""

    async def follow(self, agent_id: UUID, config: AgentConfig) -> None:
        """Plan every agent that this one, which begins the call, can hand over to, directly or
        through others: with itself, ``MAX_AGENTS`` at most."""
        left_out: dict[UUID, str] = {}
        reached = [config]
        while reached:
            targets = dict.fromkeys(tool.agent_id for each in reached for tool in handoffs_of(each))
            new = [each for each in targets if each not in {agent_id, *self.agents, *left_out}]
            handing_over, reached = reached, []
            searchable = await self._searchable(new)
            for target, facts in (await self._facts(new)).items():
                planned = await self._planned(target, facts, searchable)
                if isinstance(planned, PlannedAgent):
                    self.agents[target] = planned
                    reached.append(planned.agent)
                else:
                    left_out[target] = planned
            self.warnings += [
                f"{each.name} is not offered the tool {tool.name}: {left_out[tool.agent_id]}"
                for each in handing_over
                for tool in handoffs_of(each)
                if tool.agent_id in left_out
            ]

    async def _facts(self, agent_ids: list[UUID]) -> dict[UUID, HandoffFacts | None]:
        if not agent_ids:
            return {}
        found = await repository.agents_to_hand_over_to(
            self.session, self.terms.tenant_id, agent_ids
        )
        return {agent_id: found.get(agent_id) for agent_id in agent_ids}

    async def _searchable(self, agent_ids: list[UUID]) -> Sequence[KnowledgeSource]:
        if not agent_ids:
            return ()
        return await knowledge_sources.searchable(self.session, self.terms.tenant_id, agent_ids)

    async def _planned(
        self, agent_id: UUID, facts: HandoffFacts | None, searchable: Sequence[KnowledgeSource]
    ) -> PlannedAgent | str:
        """The agent's published version as it runs in the call, or why it cannot take over."""
        if facts is None:
            return "its agent is not one of your agents any more"
        if facts.version is None or facts.digest is None:
            return f"{facts.name} has never been published"
        if facts.pause_reason is not None:
            return f"{facts.name} is paused by the operator"
        if len(self.agents) + 1 >= MAX_AGENTS:
            return f"more than {MAX_AGENTS} agents could talk in this call"
        terms = self.terms
        version = await self.published.version(
            self.session, terms.tenant_id, agent_id, facts.version, facts.digest
        )
        config = version.config
        locale = terms.locale if terms.locale in config.languages else own_locale(config)
        version = await self.published.speaking(version, facts.digest, locale)
        stack = self.stacks.resolve(facts.digest, version, terms.catalogue, terms.keys)
        if isinstance(stack, StackProblem):
            return f"{facts.name} has no {stack.channel} now: {stack.reason}"
        looked_up = planned_sources(searchable, agent_id, version.knowledge_digest)
        if looked_up.have_knowledge_base:
            version = await self.published.looking_up(version, facts.digest)
        texts = await fill_texts_aside(version, terms.variables)
        self.declared_variables |= version.declared_variables
        self.warnings += [f"{facts.name}: {warning}" for warning in texts.warnings]
        return PlannedAgent(
            agent_id=agent_id,
            agent_version=facts.version,
            agent=version.planned_config,
            compiled_prompt=texts.prompt,
            locale=locale,
            stack=stack,
            prices=(
                *terms.catalogue.price_rows(stack, config.managed_sku_id, terms.at),
                *terms.telecom_prices,
            ),
            knowledge=looked_up.sources,
        )


def handoffs_of(config: AgentConfig) -> list[Handoff]:
    return [tool for tool in config.tools if isinstance(tool, Handoff)]


def own_locale(agent: AgentConfig) -> str:
    """The language of an agent's calls that name none."""
    preferred = agent.persona.voice_config.language
    return preferred if preferred in agent.languages else agent.language
