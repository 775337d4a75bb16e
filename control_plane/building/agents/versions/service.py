"""Reading, comparing and rolling back published versions of an agent."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.versions import read_object
from control_plane.building.agents import repository
from control_plane.building.agents.errors import VersionNotFound
from control_plane.building.agents.header_secrets import MASK, with_secrets_as
from control_plane.building.agents.knowledge.pages import Pages, fitted, texts_of_pages
from control_plane.building.agents.models import Agent, AgentVersion
from control_plane.building.agents.service import get_agent, locked_agent
from control_plane.building.agents.stacks import report_stacks
from control_plane.building.agents.versions.json_diff import Difference, differences
from control_plane.building.agents.writing import write
from control_plane.building.catalogue import repository as catalogue_repository
from control_plane.platform.audit.recording import record_change
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.tenancy.caller import Caller
from pipelines.stack import AvailableKeys

DRAFT: Literal["draft"] = "draft"
"""Stands for the agent as it is now, published or not."""


async def get_version(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, version: int
) -> tuple[Agent, AgentVersion]:
    """
    Raises:
        AgentNotFound: the tenant has no such agent.
        VersionNotFound: the agent has no such version.
    """
    agent = await get_agent(session, tenant_id, agent_id)
    found = await repository.find_version(session, tenant_id, agent_id, version)
    if found is None:
        raise VersionNotFound(f"The agent has no version {version}")
    return agent, found


async def compare(
    session: AsyncSession,
    tenant_id: UUID,
    agent_id: UUID,
    before: int | Literal["draft"],
    after: int | Literal["draft"],
) -> list[Difference]:
    """The differences in configuration, providers and texts of web pages. Secrets are compared, but
    shown masked.

    Raises:
        AgentNotFound, VersionNotFound: see ``get_version``.
    """
    agent = await get_agent(session, tenant_id, agent_id)

    async def side(which: int | Literal["draft"]) -> dict[str, Any]:
        if which == DRAFT:
            return _compared(agent.config, agent.provider_config, agent.pages)
        _, version = await get_version(session, tenant_id, agent_id, which)
        return _compared(version.config, version.provider_config, version.pages)

    return [
        Difference(found.op, found.path, _shown(found.before), _shown(found.after))
        for found in differences(await side(before), await side(after))
    ]


async def roll_back(
    session: AsyncSession,
    caller: Caller,
    agent_id: UUID,
    version: int,
    keys: AvailableKeys,
    *,
    restore_draft: bool,
    if_match: str | None = None,
) -> tuple[AgentVersion, list[str]]:
    """Publish a version's snapshot again, byte for byte, as the agent's next version.

    A provider that cannot be used now does not prevent this: the old version may still be better
    than the current one.

    Returns:
        The new version, and what its calls can no longer use.

    Raises:
        AgentNotFound, VersionNotFound: see ``get_version``.
        PreconditionFailed: the agent has changed since ``if_match`` was read.
    """
    agent = await locked_agent(session, caller, agent_id, if_match)
    _, old = await get_version(session, caller.tenant_id, agent_id, version)
    config = read_object(AgentConfig, old.config)
    catalogue = await catalogue_repository.stack_catalogue(session)
    if restore_draft:
        await write(agent, config, catalogue, keys, old.pages)
    new = await repository.next_version(session, agent, old.snapshot, restored_from=version)
    record_change(
        session,
        caller,
        "agent.rolled_back",
        target_id=agent_id,
        changes={
            "version": new.version,
            "restored_from": version,
            "restore_draft": restore_draft,
        },
    )
    add_notification_event(
        session,
        caller.tenant_id,
        "agent.published",
        title="Agent rolled back",
        message=f"{config.name} runs version {version} again, as version {new.version}.",
        metadata={
            "agent_id": str(agent_id),
            "version": new.version,
            "restored_from": version,
        },
    )
    report = await asyncio.to_thread(report_stacks, config, catalogue, keys)
    return new, report.blockers


@dataclass(frozen=True)
class _Secret:
    """A sealed text in a comparison: one value, shown as a mask."""

    sealed: str
    hint: str


def _compared(
    config: dict[str, Any], provider_config: dict[str, Any], pages: Pages
) -> dict[str, Any]:
    return config | {
        "tools": with_secrets_as(config["tools"], lambda sealed: _Secret(**sealed)),
        "provider_config": provider_config,
        "knowledge_pages": dict(texts_of_pages(fitted(pages))),
    }


def _shown(value: Any) -> Any:
    match value:
        case _Secret():
            return MASK + value.hint
        case dict():
            return {name: _shown(item) for name, item in value.items()}
        case list():
            return [_shown(item) for item in value]
        case _:
            return value
