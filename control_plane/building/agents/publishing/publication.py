"""Publishing an agent: what is checked first, and what is frozen."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.versions import read_object
from control_plane.building.agents import repository
from control_plane.building.agents.errors import AgentNotPublishReady
from control_plane.building.agents.knowledge.pages import Pages, fitted, kept_pages
from control_plane.building.agents.models import Agent, AgentVersion
from control_plane.building.agents.publishing.finding import Finding
from control_plane.building.agents.publishing.handoff_targets import (
    HandoffTargets,
    handoff_targets,
)
from control_plane.building.agents.publishing.report import PublishReport, publish_report
from control_plane.building.agents.publishing.snapshot import Snapshot
from control_plane.building.agents.service import locked_agent
from control_plane.building.agents.stacks import StackReport, report_stacks
from control_plane.building.agents.tenant_addresses import AddressFaults
from control_plane.building.agents.tool_capabilities import bound_tools
from control_plane.building.agents.unsaved import unsaved_agent
from control_plane.building.agents.writing import Derived, derive
from control_plane.building.catalogue import repository as catalogue_repository
from control_plane.platform.audit.recording import record_change
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.tenancy.caller import Caller
from pipelines.stack import AvailableKeys, StackCatalogue


async def validate_publish(
    session: AsyncSession,
    caller: Caller,
    agent_id: UUID | None,
    sent: Mapping[str, Any],
    faults: AddressFaults,
    keys: AvailableKeys,
    *,
    accepts_limited: bool = False,
) -> PublishReport:
    """The report on the agent with the fields in ``sent``. Nothing is saved.

    Args:
        faults: of the addresses in ``sent``, which have not been saved, and so not been checked.
            Another gate checks the tier that they need.
        accepts_limited: see ``publish_report``.

    Raises:
        AgentNotFound: the tenant has no such agent.
        InvalidRequest: a field is unknown or wrong.
    """
    config, pages = await unsaved_agent(session, caller, agent_id, sent)
    catalogue = await catalogue_repository.stack_catalogue(session)
    is_named = agent_id is not None or "name" in sent
    stacks = await asyncio.to_thread(report_stacks, config, catalogue, keys)
    targets = await handoff_targets(session, caller.tenant_id, agent_id, config, catalogue, keys)
    report = await _report(
        config,
        stacks,
        catalogue,
        keys,
        pages,
        targets,
        is_named=is_named,
        accepts_limited=accepts_limited,
    )
    return report.with_blockers(_refused_addresses(faults))


async def publish_agent(
    session: AsyncSession,
    caller: Caller,
    agent_id: UUID,
    keys: AvailableKeys,
    *,
    if_match: str | None = None,
    accepts_limited: bool = False,
) -> tuple[AgentVersion, tuple[Finding, ...]]:
    """Freeze the agent into its next version, which new calls then run.

    An unchanged agent gets a new version as well, so that the audit log, the event and
    ``published_at`` say when it was published. The equal digest shows that nothing differs.

    Returns:
        The version and its warnings.

    Raises:
        AgentNotFound: the tenant has no such agent.
        PreconditionFailed: it has changed since ``if_match`` was read.
        AgentNotPublishReady: the agent has blockers; nothing has changed.
    """
    agent = await locked_agent(session, caller, agent_id, if_match)
    config = read_object(AgentConfig, agent.config)
    catalogue = await catalogue_repository.stack_catalogue(session)
    pages = kept_pages(config, agent.pages, ())
    derived = await asyncio.to_thread(derive, config, catalogue, keys, pages)
    targets = await handoff_targets(session, caller.tenant_id, agent_id, config, catalogue, keys)
    report = await _report(
        config, derived.stacks, catalogue, keys, pages, targets, accepts_limited=accepts_limited
    )
    if not report.ready:
        raise AgentNotPublishReady(report.blockers, report.warnings)
    snapshot = snapshot_of(agent, derived, pages)
    version = await repository.next_version(session, agent, snapshot.text)
    number = {"version": version.version}
    record_change(session, caller, "agent.published", target_id=agent_id, changes=number)
    add_notification_event(
        session,
        caller.tenant_id,
        "agent.published",
        title="Agent published",
        message=f"{config.name} is live as version {version.version}.",
        metadata={"agent_id": str(agent_id), **number},
    )
    return version, report.warnings


def snapshot_of(agent: Agent, derived: Derived, pages: Pages) -> Snapshot:
    """``agent`` as it is now, with what follows from it."""
    return Snapshot(
        agent.config,
        derived.provider_config,
        derived.compiled_prompt,
        derived.prompt.document if derived.prompt.open_texts else None,
        [page.document for page in fitted(pages)] or None,
    )


async def _report(
    config: AgentConfig,
    stacks: StackReport,
    catalogue: StackCatalogue,
    keys: AvailableKeys,
    pages: Pages,
    handoffs: HandoffTargets,
    *,
    is_named: bool = True,
    accepts_limited: bool = False,
) -> PublishReport:
    def look() -> PublishReport:
        tools = bound_tools(config, stacks, catalogue)
        return publish_report(
            config,
            stacks,
            tools,
            pages,
            tier=keys.tier,
            is_named=is_named,
            handoffs=handoffs,
            accepts_limited=accepts_limited,
        )

    # An agent may have a megabyte of texts to read.
    return await asyncio.to_thread(look)


def _refused_addresses(faults: AddressFaults) -> tuple[Finding, ...]:
    return tuple(
        Finding(
            code="address_refused",
            field=field,
            message=f"{field}: {fault}",
            fix="Use a public address.",
        )
        for field, fault in faults.items()
    )
