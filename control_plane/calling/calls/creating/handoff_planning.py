"""The agents that can take over in a call, as its plan freezes them.

An agent that cannot take over is left out, and with it the tools that lead to it: the call goes on
without them, and its event log says why.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.call_plan import MAX_AGENTS, PlannedAgent
from contracts.tool_bindings import Handoff
from control_plane.building.catalogue.edition import CatalogueEdition
from control_plane.calling.calls.creating import repository
from control_plane.calling.calls.creating.creation_facts import HandoffFacts
from control_plane.calling.calls.creating.filled_texts import fill_texts_aside
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


@dataclass
class PlannedHandoffs:
    agents: dict[UUID, PlannedAgent] = field(default_factory=dict)
    declared_variables: set[str] = field(default_factory=set)
    """The variables that the texts of ``agents`` use."""
    warnings: list[str] = field(default_factory=list)
    """Sentences for the call's event log."""


async def plan_handoffs(
    session: AsyncSession,
    published: PublishedAgents,
    stacks: ResolvedStacks,
    terms: HandoffTerms,
    agent_id: UUID,
    config: AgentConfig,
) -> PlannedHandoffs:
    """Every agent that ``config`` can hand over to, directly or through others, the nearest first:
    with the first one, ``MAX_AGENTS`` at most.

    Args:
        agent_id, config: the agent that begins the call.
    """
    found = PlannedHandoffs()
    known = {agent_id: config.name}
    """Agents that were looked at, by id, with their names."""
    left_out: dict[UUID, str] = {}
    binding = [config]
    while binding:
        nearest = dict.fromkeys(tool.agent_id for each in binding for tool in handoffs_of(each))
        new = [each for each in nearest if each not in known and each not in left_out]
        facts = (
            await repository.agents_to_hand_over_to(session, terms.tenant_id, new) if new else {}
        )
        handing_over, binding = binding, []
        for each in new:
            reason = _reason_against(facts.get(each), room=len(known) < MAX_AGENTS)
            if reason is None:
                planned = await _planned(
                    session, published, stacks, terms, each, facts[each], found
                )
                if isinstance(planned, PlannedAgent):
                    found.agents[each], known[each] = planned, planned.name
                    binding.append(planned.agent)
                    continue
                reason = planned
            left_out[each] = reason
        found.warnings += [
            f"{each.name} is not offered the tool {tool.name}: {left_out[tool.agent_id]}"
            for each in handing_over
            for tool in handoffs_of(each)
            if tool.agent_id in left_out
        ]
    return found


def handoffs_of(config: AgentConfig) -> list[Handoff]:
    return [tool for tool in config.tools if isinstance(tool, Handoff)]


def _reason_against(facts: HandoffFacts | None, *, room: bool) -> str | None:
    """Why an agent with these facts cannot take over; ``None`` if it may."""
    if facts is None:
        return "its agent is not one of your agents any more"
    if facts.version is None:
        return f"{facts.name} has never been published"
    if facts.pause_reason is not None:
        return f"{facts.name} is paused by the operator"
    if not room:
        return f"more than {MAX_AGENTS} agents could talk in this call"
    return None


async def _planned(
    session: AsyncSession,
    published: PublishedAgents,
    stacks: ResolvedStacks,
    terms: HandoffTerms,
    agent_id: UUID,
    facts: HandoffFacts,
    found: PlannedHandoffs,
) -> PlannedAgent | str:
    """The agent's published version as it runs in the call, or why nothing can run it."""
    assert facts.version is not None
    assert facts.digest is not None
    version = await published.version(
        session, terms.tenant_id, agent_id, facts.version, facts.digest
    )
    config = version.config
    locale = terms.locale if terms.locale in config.languages else own_locale(config)
    version = await published.speaking(version, facts.digest, locale)
    stack = stacks.resolve(facts.digest, version, terms.catalogue, terms.keys)
    if isinstance(stack, StackProblem):
        return f"{facts.name} has no {stack.channel} now: {stack.reason}"
    texts = await fill_texts_aside(version, terms.variables)
    found.declared_variables |= version.declared_variables
    found.warnings += [f"{facts.name}: {warning}" for warning in texts.warnings]
    return PlannedAgent(
        agent_id=agent_id,
        agent_version=facts.version,
        agent=version.config,
        compiled_prompt=texts.prompt,
        locale=locale,
        stack=stack,
        prices=terms.catalogue.price_rows(stack, config.managed_sku_id, terms.at),
    )


def own_locale(agent: AgentConfig) -> str:
    """The language of an agent's calls that name none."""
    preferred = agent.persona.voice_config.language
    return preferred if preferred in agent.languages else agent.language
