"""Creating, changing, copying and deleting agents."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.versions import read_object
from control_plane.building.agents import repository
from control_plane.building.agents.copying import AgentCopied
from control_plane.building.agents.deletion import AgentDeleted
from control_plane.building.agents.documents import checked, own_fields
from control_plane.building.agents.errors import AgentNotFound, AgentOfAnotherTenant
from control_plane.building.agents.header_secrets import sealed_tools
from control_plane.building.agents.knowledge.pages import Pages
from control_plane.building.agents.models import Agent
from control_plane.building.agents.partial_update import changed_fields, merged
from control_plane.building.agents.revisions import check_if_match
from control_plane.building.agents.servable import refuse_unservable, unservable_because
from control_plane.building.agents.tenant_addresses import AddressFaults, refuse_addresses
from control_plane.building.agents.writing import check_content, with_extracted_prompt, write
from control_plane.building.catalogue import repository as catalogue_repository
from control_plane.money.billing import repository as billing
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.platform.audit.recording import record_change
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.caller import Caller
from control_plane.platform.tenancy.foreign_records import foreign_is_forbidden
from pipelines.stack import AvailableKeys, StackCatalogue

COPY_SUFFIX = " (Copy)"
_LONGEST_NAME = 500


async def create_agent(
    session: AsyncSession,
    caller: Caller,
    document: Mapping[str, Any],
    faults: AddressFaults,
    keys: AvailableKeys,
    settings: ControlPlaneSettings,
    pages: Pages = (),
) -> Agent:
    """Save a new agent, unpublished.

    Args:
        document: the fields of ``AgentConfig`` under their names on the wire.
        faults: of its addresses.
        keys: what the tenant can use now.
        pages: that its knowledge base names.

    Raises:
        InvalidRequest: a field is wrong, one of the languages has no full stack, or the catalogue
            has no such voice.
        InsufficientCredits: the tenant's balance is not positive.
    """
    config = await _checked_new(session, caller, document, faults, keys, settings)
    catalogue = await catalogue_repository.stack_catalogue(session)
    await asyncio.to_thread(refuse_unservable, config, catalogue, keys)
    return await _add(session, caller, config, catalogue, keys, pages)


async def create_draft(
    session: AsyncSession,
    caller: Caller,
    document: Mapping[str, Any],
    faults: AddressFaults,
    keys: AvailableKeys,
    settings: ControlPlaneSettings,
    pages: Pages = (),
) -> tuple[Agent, list[str]]:
    """Save a new agent as ``create_agent`` does, but only warn about a language without a stack and
    an unknown voice.

    Returns:
        The agent and the warnings.

    Raises:
        InvalidRequest: a field is wrong.
        InsufficientCredits: the tenant's balance is not positive.
    """
    config = await _checked_new(session, caller, document, faults, keys, settings)
    catalogue = await catalogue_repository.stack_catalogue(session)
    agent = await _add(session, caller, config, catalogue, keys, pages)
    return agent, await asyncio.to_thread(unservable_because, config, catalogue, keys)


async def get_agent(session: AsyncSession, tenant_id: UUID, agent_id: UUID) -> Agent:
    """
    Raises:
        AgentNotFound: the tenant has no such agent.
    """
    agent = await repository.find(session, tenant_id, agent_id)
    if agent is None:
        raise AgentNotFound
    return agent


async def update_agent(
    session: AsyncSession,
    caller: Caller,
    agent_id: UUID,
    changes: Mapping[str, Any],
    keys: AvailableKeys,
    settings: ControlPlaneSettings,
    *,
    faults: AddressFaults,
    pages: Pages = (),
    if_match: str | None = None,
) -> Agent:
    """Change the fields in ``changes``, at any depth. Published versions stay the same.

    Args:
        pages: that the knowledge base in ``changes`` names.

    Raises:
        AgentNotFound: the tenant has no such agent.
        PreconditionFailed: it has changed since ``if_match`` was read.
        InvalidRequest: the changed agent is not valid, a language would lose its stack, or the
            catalogue has no such voice.
    """
    sent = own_fields(changes)
    refuse_addresses(sent, keys.tier, faults)
    agent = await locked_agent(session, caller, agent_id, if_match)
    before = read_object(AgentConfig, agent.config)
    config = checked(merged(agent.config, sent))
    if "tools" in sent:
        tools = sealed_tools(config.tools, before.tools, settings.sealer)
        config = config.model_copy(update={"tools": tools})
    await check_content(session, caller, config, sent, agent_id)
    config = await with_extracted_prompt(config, sent, before)
    catalogue = await catalogue_repository.stack_catalogue(session)
    await asyncio.to_thread(refuse_unservable, config, catalogue, keys, before)
    document = _compared(agent)
    if await write(agent, config, catalogue, keys, pages):
        fields = changed_fields(document, _compared(agent))
        record_change(
            session, caller, "agent.updated", target_id=agent_id, changes={"fields": fields}
        )
        await session.flush()
    return agent


async def clone_agent(
    session: AsyncSession,
    caller: Caller,
    agent_id: UUID,
    keys: AvailableKeys,
    on_agent_copied: AgentCopied,
) -> Agent:
    """An unpublished copy, sealed secrets included, with ``COPY_SUFFIX`` on its name.

    Raises:
        AgentNotFound: the tenant has no such agent.
        InsufficientCredits: the tenant's balance is not positive.
        Problem: ``on_agent_copied`` refuses it.
    """
    original = await get_agent(session, caller.tenant_id, agent_id)
    await _check_credit(session, caller.tenant_id)
    config = read_object(AgentConfig, original.config)
    name = config.name[: _LONGEST_NAME - len(COPY_SUFFIX)] + COPY_SUFFIX
    copy = config.model_copy(update={"name": name})
    catalogue = await catalogue_repository.stack_catalogue(session)
    agent = await _add(
        session, caller, copy, catalogue, keys, original.pages, copied_from=str(agent_id)
    )
    await on_agent_copied(session, caller.tenant_id, agent_id, agent.id)
    return agent


async def delete_agent(
    session: AsyncSession,
    caller: Caller,
    agent_id: UUID,
    on_agent_deleted: AgentDeleted,
    *,
    if_match: str | None = None,
) -> None:
    """Mark the agent as deleted. Its versions and its calls, running ones included, remain.

    Raises:
        AgentNotFound: the tenant has no such agent.
        PreconditionFailed: it has changed since ``if_match`` was read.
    """
    agent = await locked_agent(session, caller, agent_id, if_match)
    agent.deleted_at = datetime.now(UTC)
    # What the row has of web pages goes; versions keep what calls have run.
    agent.knowledge_pages, agent.compiled_prompt = [], ""
    await on_agent_deleted(session, caller.tenant_id, agent_id)
    record_change(session, caller, "agent.deleted", target_id=agent_id)
    await session.flush()


def foreign_agent_is_forbidden(
    database: Database, agent_id: UUID
) -> AbstractAsyncContextManager[None]:
    """A context for work on one of the caller's agents.

    Raises:
        AgentOfAnotherTenant: instead of ``AgentNotFound``, if the agent is another tenant's.
    """
    return foreign_is_forbidden(
        database,
        agent_id,
        not_found=AgentNotFound,
        forbidden=AgentOfAnotherTenant,
        exists=repository.exists_for_any_tenant,
    )


async def locked_agent(
    session: AsyncSession, caller: Caller, agent_id: UUID, if_match: str | None = None
) -> Agent:
    """The agent, locked against other writers until the transaction ends.

    Raises:
        AgentNotFound: the tenant has no such agent.
        PreconditionFailed: it has changed since ``if_match`` was read.
    """
    agent = await repository.find(session, caller.tenant_id, agent_id, for_update=True)
    if agent is None:
        raise AgentNotFound
    check_if_match(agent, if_match)
    return agent


async def _checked_new(
    session: AsyncSession,
    caller: Caller,
    document: Mapping[str, Any],
    faults: AddressFaults,
    keys: AvailableKeys,
    settings: ControlPlaneSettings,
) -> AgentConfig:
    sent = own_fields(document)
    config = checked(sent)
    refuse_addresses(sent, keys.tier, faults)
    tools = sealed_tools(config.tools, (), settings.sealer)
    config = config.model_copy(update={"tools": tools})
    await check_content(session, caller, config, sent)
    await _check_credit(session, caller.tenant_id)
    return await with_extracted_prompt(config, sent)


def _compared(agent: Agent) -> dict[str, Any]:
    """What the audit log names as changed."""
    return agent.config | {"knowledge_pages": agent.knowledge_pages}


async def _check_credit(session: AsyncSession, tenant_id: UUID) -> None:
    account = await billing.account(session, tenant_id)
    if account is None or account.buckets.total_micros <= 0:
        raise InsufficientCredits("Top up the balance before you create an agent.")


async def _add(
    session: AsyncSession,
    caller: Caller,
    config: AgentConfig,
    catalogue: StackCatalogue,
    keys: AvailableKeys,
    pages: Pages,
    **noted: str,
) -> Agent:
    agent = Agent(tenant_id=caller.tenant_id, published_version=None)
    await write(agent, config, catalogue, keys, pages)
    session.add(agent)
    await session.flush()
    record_change(session, caller, "agent.created", target_id=agent.id, changes=noted)
    return agent
