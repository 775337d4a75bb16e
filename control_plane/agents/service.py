"""Rules of agents: what may be saved, and what may be published."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from control_plane.agents import repository
from control_plane.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.agents.models import Agent, AgentVersion
from control_plane.agents.schemas import AgentCreate
from control_plane.agents.stacks import every_key, provider_config, report_stacks
from control_plane.catalogue import repository as catalogue_repository
from control_plane.errors import InvalidRequest
from control_plane.http.validation import field_errors
from pipelines.prompt import compile_prompt
from pipelines.stack import AvailableKeys, StackCatalogue


async def create_agent(
    session: AsyncSession, tenant_id: UUID, config: AgentConfig, keys: AvailableKeys
) -> Agent:
    """Save a new agent, unpublished.

    Args:
        keys: what the tenant can use now; other providers may be configured all the same.

    Raises:
        InvalidRequest: no stack of the catalogue serves one of the agent's languages, or there is
            no such managed SKU.
    """
    catalogue = await catalogue_repository.stack_catalogue(session)
    _check_can_ever_run(config, catalogue)
    agent = Agent(tenant_id=tenant_id, published_version=None)
    _write(agent, config, catalogue, keys)
    session.add(agent)
    await session.flush()
    return agent


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
    tenant_id: UUID,
    agent_id: UUID,
    changes: Mapping[str, Any],
    keys: AvailableKeys,
) -> None:
    """Change the fields in ``changes``. What is published stays as it was.

    Raises:
        AgentNotFound: the tenant has no such agent.
        InvalidRequest: the changed agent is not valid, or no stack of the catalogue serves one of
            its languages.
    """
    agent = await repository.find(session, tenant_id, agent_id, for_update=True)
    if agent is None:
        raise AgentNotFound
    try:
        config = AgentCreate.model_validate(agent.config | _cleared(changes))
    except ValidationError as error:
        raise InvalidRequest(errors=field_errors(error.errors())) from error
    catalogue = await catalogue_repository.stack_catalogue(session)
    _check_can_ever_run(config, catalogue)
    _write(agent, config, catalogue, keys)


def _cleared(changes: Mapping[str, Any]) -> dict[str, Any]:
    """``null`` brings a field back to its default."""
    defaults = AgentConfig(name="-").model_dump(mode="json", by_alias=True)
    return {
        name: defaults[name] if value is None and name in defaults and name != "name" else value
        for name, value in changes.items()
    }


async def publish_agent(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, keys: AvailableKeys
) -> AgentVersion:
    """Freeze the agent as it is into its next version, which new calls then run.

    Raises:
        AgentNotFound: the tenant has no such agent.
        AgentNotPublishReady: one of its languages cannot be served with the providers at hand.
    """
    agent = await repository.find(session, tenant_id, agent_id, for_update=True)
    if agent is None:
        raise AgentNotFound
    config = AgentConfig.model_validate(agent.config)
    catalogue = await catalogue_repository.stack_catalogue(session)
    report = report_stacks(config, catalogue, keys)
    if report.blockers:
        raise AgentNotPublishReady(report.blockers)
    version = AgentVersion(
        agent_id=agent.id,
        version=(agent.published_version or 0) + 1,
        tenant_id=tenant_id,
        config=agent.config,
        provider_config=provider_config(config, report),
        compiled_prompt=agent.compiled_prompt,
    )
    session.add(version)
    agent.published_version = version.version
    await session.flush()
    return version


def view(agent: Agent) -> dict[str, Any]:
    """The full agent as the API shows it."""
    return agent.config | {
        "id": agent.id,
        "supported_languages": agent.config["supported_languages"] or [agent.config["language"]],
        "provider_config": agent.provider_config,
        "compiled_prompt": agent.compiled_prompt,
        "published_version": agent.published_version,
        "created_at": agent.created_at,
        "updated_at": agent.updated_at,
    }


def _write(
    agent: Agent, config: AgentConfig, catalogue: StackCatalogue, keys: AvailableKeys
) -> None:
    """Put ``config`` and everything derived from it on the record."""
    agent.name = config.name
    agent.config = AgentConfig.model_validate(
        config.model_dump(include=set(AgentConfig.model_fields))
    ).model_dump(mode="json", by_alias=True)
    agent.compiled_prompt = compile_prompt(config, {})
    report = report_stacks(config, catalogue, keys)
    agent.provider_config = provider_config(config, report)
    agent.updated_at = datetime.now(UTC)


def _check_can_ever_run(config: AgentConfig, catalogue: StackCatalogue) -> None:
    if config.agent_kind == "managed":
        raise InvalidRequest.at(
            "managed_sku_id", f"there is no managed SKU {config.managed_sku_id!r} in the catalogue"
        )
    report = report_stacks(config, catalogue, every_key(catalogue))
    if report.problems:
        raise InvalidRequest(
            errors=[
                {
                    "field": "language" if locale == config.language else "supported_languages",
                    "message": f"{locale} cannot be served: {problem.reason}",
                }
                for locale, problem in report.problems.items()
            ]
        )
