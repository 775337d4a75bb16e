"""Freezing everything that one call needs to run and to be billed."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.call_plan import (
    CallLimits,
    CallPlan,
    Channel,
    PlannedParticipant,
    ResolvedChannel,
    ResolvedStack,
)
from contracts.call_status import Transport
from control_plane.agents import repository as agents
from control_plane.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.agents.models import AgentVersion
from control_plane.agents.publish_finding import Finding
from control_plane.calls.errors import ProviderKeyUnavailable
from control_plane.calls.post_call_merge import merge_post_call
from control_plane.calls.schemas import CallCreate
from control_plane.catalogue import repository as catalogue
from control_plane.provider_keys.repository import sealed_keys
from pipelines.prompt import compile_prompt
from pipelines.stack import CUSTOM, AvailableKeys, StackProblem, resolve_stack

_NEVER_PUBLISHED = Finding(
    code="never_published",
    field="agent_id",
    message="No version of the agent has been published yet.",
    fix="Publish it: POST /v1/agents/{id}/publish.",
)


async def freeze_plan(
    session: AsyncSession, tenant_id: UUID, wanted: CallCreate, keys: AvailableKeys
) -> CallPlan:
    """The plan of a new call of the agent's published version.

    Args:
        keys: what the tenant can use now.

    Raises:
        AgentNotFound: the tenant has no such agent.
        AgentNotPublishReady: it has, but nothing of it was published.
        ProviderKeyUnavailable: a provider of the published stack cannot be used now.
    """
    version = await _published_version(session, tenant_id, wanted.agent_id)
    agent = AgentConfig.model_validate(version.config)
    stack = await _usable_stack(session, agent, keys)
    call_id = uuid4()
    return CallPlan(
        call_id=call_id,
        tenant_id=tenant_id,
        agent_id=wanted.agent_id,
        agent_version=version.version,
        room_name=f"call-{call_id}",
        created_at=datetime.now(UTC),
        agent=agent,
        compiled_prompt=await asyncio.to_thread(compile_prompt, agent, wanted.variables),
        locale=agent.language,
        stack=stack,
        sealed_provider_keys=await _own_keys(session, tenant_id, stack),
        prices=await catalogue.price_rows(session, stack, agent.managed_sku_id),
        limits=limits_of(agent),
        participants=tuple(
            PlannedParticipant(
                participant_id=uuid4(),
                transport=Transport(participant.transport),
                identity=participant.identity,
            )
            for participant in wanted.participants
        ),
        variables=wanted.variables,
        metadata=wanted.metadata,
        post_call=merge_post_call(agent.post_call, wanted.post_call),
    )


def limits_of(agent: AgentConfig) -> CallLimits:
    """The limits that the worker enforces, from the agent's advanced settings."""
    return CallLimits(
        max_duration_seconds=agent.advanced.max_call_duration_seconds,
        silence_prompt_seconds=agent.advanced.silence_prompt_delay_seconds,
        silence_hangup_seconds=agent.advanced.post_silence_hangup_seconds,
    )


async def _published_version(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID
) -> AgentVersion:
    version = await agents.find_published(session, tenant_id, agent_id)
    if version is not None:
        return version
    if await agents.find(session, tenant_id, agent_id) is None:
        raise AgentNotFound
    raise AgentNotPublishReady([_NEVER_PUBLISHED])


async def _usable_stack(
    session: AsyncSession, agent: AgentConfig, keys: AvailableKeys
) -> ResolvedStack:
    entries = await catalogue.stack_catalogue(session)
    found = resolve_stack(agent, entries, keys, agent.language)
    if isinstance(found, StackProblem):
        raise ProviderKeyUnavailable(found.channel, found.reason)
    return found.stack


async def _own_keys(session: AsyncSession, tenant_id: UUID, stack: ResolvedStack) -> dict[str, str]:
    """By provider, the tenant's keys that the stack is run with, as they are stored."""
    channels: tuple[tuple[Channel, ResolvedChannel], ...] = (
        ("stt", stack.stt),
        ("llm", stack.llm),
        ("tts", stack.tts),
    )
    wanted = {
        choice.provider: name
        for name, channel in channels
        for choice in (channel.primary, channel.fallback)
        if choice is not None and choice.key_source == "own" and choice.provider != CUSTOM
    }
    found = await sealed_keys(session, tenant_id, wanted.keys())
    for provider, name in wanted.items():
        if provider not in found:
            raise ProviderKeyUnavailable(name, f"You have no key for {provider} any more.")
    return found
