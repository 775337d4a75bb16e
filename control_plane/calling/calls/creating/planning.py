"""Making a call's plan: everything that the call needs to run and to be billed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID, uuid4

from fastapi import Depends, Request
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.call_plan import (
    LONGEST_CALL_SECONDS,
    CallLimits,
    CallPlan,
    PlannedParticipant,
    PriceRow,
    ResolvedStack,
)
from contracts.call_status import Transport
from control_plane.building.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.building.agents.publishing.finding import Finding
from control_plane.building.catalogue.edition import CatalogueCache
from control_plane.building.knowledge_sources import repository as knowledge_sources
from control_plane.calling.calls.creating.creation_facts import CreationFacts
from control_plane.calling.calls.creating.filled_texts import fill_texts_aside
from control_plane.calling.calls.creating.handoff_planning import (
    HandoffPlanning,
    HandoffTerms,
    own_locale,
)
from control_plane.calling.calls.creating.planned_sources import planned_sources
from control_plane.calling.calls.creating.post_call_merge import merge_post_call
from control_plane.calling.calls.creating.published_agent import PublishedAgents
from control_plane.calling.calls.creating.resolved_stacks import ResolvedStacks
from control_plane.calling.calls.creating.stranger_content import check_declared
from control_plane.calling.calls.errors import JOIN_SECONDS, ProviderKeyUnavailable
from control_plane.calling.calls.schemas import CallCreate
from control_plane.calling.pauses.errors import AgentAdminPaused, PlatformCallsDisabled
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.time_ordered_id import time_ordered_id
from pipelines.settings import OPENAI_COMPATIBLE
from pipelines.stack import CUSTOM, StackProblem

PHONE_JOIN_SECONDS = 60
"""How long the room of an answered phone waits for the media that its bridge connects."""

_NEVER_PUBLISHED = Finding(
    code="never_published",
    field="agent_id",
    message="No version of the agent has been published yet.",
    fix="Publish it: POST /v1/agents/{id}/publish.",
)


class PlanSources:
    """What plans are made of and many calls share. Each process has one."""

    def __init__(self) -> None:
        self.catalogue = CatalogueCache()
        self.agents = PublishedAgents()
        self.stacks = ResolvedStacks()


async def plan_sources_of(request: Request) -> PlanSources:
    sources: PlanSources = request.app.state.plan_sources
    return sources


AppPlanSources = Annotated[PlanSources, Depends(plan_sources_of)]


@dataclass(frozen=True)
class FrozenPlan:
    plan: CallPlan
    warnings: tuple[str, ...]
    """Sentences for the call's event log."""


async def freeze_plan(
    session: AsyncSession,
    sources: PlanSources,
    facts: CreationFacts,
    tenant_id: UUID,
    wanted: CallCreate,
    caller_ids: dict[int, str],
    platform_providers: frozenset[str],
    *,
    only_declared: bool = False,
    telecom_prices: tuple[PriceRow, ...] = (),
    longest_seconds: int = LONGEST_CALL_SECONDS,
) -> FrozenPlan:
    """The plan of a new call of the agent's published version.

    Args:
        facts: of the tenant and the agent, read in ``session``.
        caller_ids: the numbers (E.164) that phones are called from, by the position of the
            participant.
        platform_providers: the providers that every tenant of this installation can use.
        only_declared: refuse variables that the texts of the call's agents do not use.
        longest_seconds: a limit of the call's duration beside the agent's own.
        telecom_prices: of the phone legs that the tenant pays for here.

    Raises:
        PlatformCallsDisabled: the operator has stopped all calls.
        AgentNotFound: the tenant has no such agent.
        AgentAdminPaused: the operator has paused it.
        AgentNotPublishReady: it has never been published.
        KeyScopeViolation: a variable that the texts of the call's agents do not use.
        InvalidRequest: the agent does not speak the language that is wanted.
        ProviderKeyUnavailable: neither the frozen stack nor another one can be used now.
    """
    version, digest = callable_version(facts)
    published = await sources.agents.version(session, tenant_id, wanted.agent_id, version, digest)
    locale = locale_of(published.config, wanted.locale)
    published = await sources.agents.speaking(published, digest, locale)
    catalogue = await sources.catalogue.edition(session, facts.edition)
    agent, now = published.config, datetime.now(UTC)
    call_id = time_ordered_id(now)
    keys = facts.available_keys(platform_providers)
    terms = HandoffTerms(tenant_id, locale, wanted.variables, catalogue, keys, now, telecom_prices)
    handoffs = HandoffPlanning(session, sources.agents, sources.stacks, terms)
    await handoffs.follow(wanted.agent_id, agent)
    if only_declared:
        check_declared(wanted.variables, published.declared_variables | handoffs.declared_variables)
    stack = sources.stacks.resolve(digest, published, catalogue, keys)
    if isinstance(stack, StackProblem):
        raise ProviderKeyUnavailable(stack.channel, stack.reason)
    searchable = await knowledge_sources.searchable(session, tenant_id, [wanted.agent_id])
    looked_up = planned_sources(searchable, wanted.agent_id, published.knowledge_digest)
    if looked_up.have_knowledge_base:
        published = await sources.agents.looking_up(published, digest)
    texts = await fill_texts_aside(published, wanted.variables)
    prices = catalogue.price_rows(stack, agent.managed_sku_id, now)
    stacks = [stack, *(each.stack for each in handoffs.agents.values())]
    plan = CallPlan(
        call_id=call_id,
        tenant_id=tenant_id,
        agent_id=wanted.agent_id,
        agent_version=version,
        room_name=f"call-{call_id}",
        created_at=now,
        agent=published.planned_config,
        compiled_prompt=texts.prompt,
        locale=locale,
        stack=stack,
        sealed_provider_keys=_own_keys(stacks, facts),
        provider_urls=_own_urls(stacks, facts),
        prices=(*prices, *telecom_prices),
        unit_prices=catalogue.unit_prices_at(stacks, now),
        limits=limits_of(agent, longest_seconds, waits_for_phone=bool(caller_ids)),
        participants=tuple(
            PlannedParticipant(
                participant_id=uuid4(),
                transport=Transport(participant.transport),
                identity=participant.identity,
                from_number=caller_ids.get(position),
            )
            for position, participant in enumerate(wanted.participants)
        ),
        variables=wanted.variables,
        metadata=wanted.metadata,
        post_call=merge_post_call(agent.post_call, wanted.post_call),
        handoffs=tuple(handoffs.agents.values()),
        knowledge=looked_up.sources,
    )
    return FrozenPlan(plan, (*texts.warnings, *handoffs.warnings))


def locale_of(agent: AgentConfig, wanted: str | None) -> str:
    """The language of a call.

    Raises ``InvalidRequest`` if the agent does not speak the one that is wanted.
    """
    if wanted is None:
        return own_locale(agent)
    if wanted not in agent.languages:
        offered = ", ".join(agent.languages)
        raise InvalidRequest.at("locale", f"must be one of the agent's languages: {offered}")
    return wanted


def limits_of(
    agent: AgentConfig, longest_seconds: int = LONGEST_CALL_SECONDS, *, waits_for_phone: bool
) -> CallLimits:
    """The limits that the worker enforces, from the agent's advanced settings. An agent may be
    saved with a longer duration than any call may have."""
    return CallLimits(
        join_timeout_seconds=PHONE_JOIN_SECONDS if waits_for_phone else JOIN_SECONDS,
        max_duration_seconds=min(
            math.ceil(agent.advanced.max_call_duration_seconds),
            LONGEST_CALL_SECONDS,
            longest_seconds,
        ),
        silence_prompt_seconds=agent.advanced.silence_prompt_delay_seconds,
        silence_hangup_seconds=agent.advanced.post_silence_hangup_seconds,
    )


def callable_version(facts: CreationFacts) -> tuple[int, str]:
    """The number and the digest of the version to run.

    Raises:
        PlatformCallsDisabled: the operator has stopped all calls.
        AgentNotFound: the tenant has no such agent.
        AgentAdminPaused: the operator has paused it.
        AgentNotPublishReady: it has never been published.
    """
    if not facts.calls_enabled:
        raise PlatformCallsDisabled(facts.calls_message)
    check_agent(facts)
    return published_version(facts)


def check_agent(facts: CreationFacts) -> None:
    """
    Raises:
        AgentNotFound: the tenant has no such agent.
        AgentAdminPaused: the operator has paused it.
    """
    if not facts.agent_exists:
        raise AgentNotFound
    if facts.pause_reason is not None:
        raise AgentAdminPaused(facts.pause_reason)


def published_version(facts: CreationFacts) -> tuple[int, str]:
    """The number and the digest of the version that calls run.

    Raises:
        AgentNotPublishReady: it has never been published.
    """
    if facts.version is None or facts.digest is None:
        raise AgentNotPublishReady([_NEVER_PUBLISHED])
    return facts.version, facts.digest


def _own_urls(stacks: Iterable[ResolvedStack], facts: CreationFacts) -> dict[str, str]:
    """The address of the tenant's own model server, if a stack needs it."""
    server = facts.own_server
    own = {
        choice.provider
        for stack in stacks
        for _, choice in stack.choices()
        if choice.key_source == "own"
    }
    if server is None or OPENAI_COMPATIBLE not in own:
        return {}
    return {OPENAI_COMPATIBLE: server["base_url"]}


def _own_keys(stacks: Iterable[ResolvedStack], facts: CreationFacts) -> dict[str, str]:
    """The tenant's sealed keys that the stacks need, by provider."""
    return {
        choice.provider: facts.sealed_keys[choice.provider]
        for stack in stacks
        for _, choice in stack.choices()
        if choice.key_source == "own" and choice.provider != CUSTOM
    }
