"""Beginning a chat: which agent it is with, and everything that its replies depend on."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.call_plan import ResolvedStack
from contracts.versions import read_object
from control_plane.building.agents.documents import stored_form
from control_plane.building.agents.knowledge.pages import kept_pages
from control_plane.building.agents.publishing.publication import snapshot_of
from control_plane.building.agents.publishing.snapshot import digest_of
from control_plane.building.agents.service import get_agent
from control_plane.building.agents.writing import derive
from control_plane.building.catalogue.edition import CatalogueEdition
from control_plane.calling.calls.creating import repository as call_creation
from control_plane.calling.calls.creating.filled_texts import fill_texts_aside
from control_plane.calling.calls.creating.planning import (
    PlanSources,
    check_agent,
    locale_of,
    published_version,
)
from control_plane.calling.calls.creating.published_agent import PublishedAgent
from control_plane.calling.calls.errors import ProviderKeyUnavailable
from control_plane.calling.chat_sessions.completions import CHAT_PROVIDERS
from control_plane.calling.chat_sessions.conversation import ChatMessage, documents_of
from control_plane.calling.chat_sessions.errors import NoTextModel
from control_plane.calling.chat_sessions.lifetime import expiry
from control_plane.calling.chat_sessions.models import ChatSession
from control_plane.calling.chat_sessions.schemas import ChatSessionCreate
from control_plane.platform.time_ordered_id import time_ordered_id
from pipelines.stack import CUSTOM, LOCAL, AvailableKeys, StackProblem
from pipelines.texts.moment import with_moment
from pipelines.texts.prompt import opener


@dataclass(frozen=True)
class _Found:
    published: PublishedAgent
    digest: str
    version: int | None


async def new_chat(
    session: AsyncSession,
    sources: PlanSources,
    tenant_id: UUID,
    agent_id: UUID,
    wanted: ChatSessionCreate,
    platform_providers: frozenset[str],
) -> ChatSession:
    """A chat that is not stored yet.

    Raises:
        AgentNotFound: the tenant has no such agent.
        AgentAdminPaused: the operator has paused it.
        AgentNotPublishReady: the published version is wanted, and there is none.
        InvalidRequest: the agent does not speak the language that is wanted.
        ProviderKeyUnavailable: the agent's stack cannot be used now.
        NoTextModel: its language model only speaks.
    """
    facts = await call_creation.creation_facts(session, tenant_id, agent_id, None, counted=False)
    check_agent(facts)
    catalogue = await sources.catalogue.edition(session, facts.edition)
    keys = facts.available_keys(platform_providers)
    if wanted.version == "draft":
        found = await _draft(session, tenant_id, agent_id, catalogue, keys)
    else:
        version, digest = published_version(facts)
        agent = await sources.agents.version(session, tenant_id, agent_id, version, digest)
        found = _Found(agent, digest, version)
    locale = locale_of(found.published.config, wanted.locale)
    published = await sources.agents.speaking(found.published, found.digest, locale)
    stack = sources.stacks.resolve(found.digest, published, catalogue, keys)
    if isinstance(stack, StackProblem):
        raise ProviderKeyUnavailable(stack.channel, stack.reason)
    _check_text_model(stack)
    texts = await fill_texts_aside(published, wanted.variables)
    config, now = published.planned_config, datetime.now(UTC)
    greeting = opener(config, wanted.variables, locale)
    said = [ChatMessage(role="agent", text=greeting, created_at=now)] if greeting else []
    return ChatSession(
        id=time_ordered_id(now),
        tenant_id=tenant_id,
        agent_id=agent_id,
        agent_version=found.version,
        agent=stored_form(config),
        # In the zone of this machine, as workers tell it.
        compiled_prompt=with_moment(texts.prompt, config.advanced.prompt_mode, now.astimezone()),
        locale=locale,
        llm=stack.llm.model_dump(mode="json"),
        variables=wanted.variables,
        run_tools=wanted.run_tools,
        warnings=list(texts.warnings),
        messages=documents_of(said),
        collected={},
        created_at=now,
        expires_at=expiry(now),
    )


async def _draft(
    session: AsyncSession,
    tenant_id: UUID,
    agent_id: UUID,
    catalogue: CatalogueEdition,
    keys: AvailableKeys,
) -> _Found:
    """The agent as it was last saved, in the form that publishing it would freeze."""
    agent = await get_agent(session, tenant_id, agent_id)
    config = read_object(AgentConfig, agent.config)
    pages = kept_pages(config, agent.pages, ())

    def frozen() -> _Found:
        text = snapshot_of(agent, derive(config, catalogue.stacks, keys, pages), pages).text
        return _Found(PublishedAgent.read(text), digest_of(text), None)

    # An agent may have a megabyte of texts to compile.
    return await asyncio.to_thread(frozen)


def _check_text_model(stack: ResolvedStack) -> None:
    choice = stack.llm.primary
    if stack.mode == "realtime" or choice.provider not in {*CHAT_PROVIDERS, LOCAL, CUSTOM}:
        raise NoTextModel(
            f"The agent's language model {choice.model} ({choice.provider}) only works in calls; "
            "call the agent, or choose a model that answers in text"
        )
