"""What the visitor's page says about the agent before the call."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.agent_config import AgentConfig
from contracts.money import usd
from control_plane.building.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.calling.calls.creating import repository as creating
from control_plane.calling.calls.creating.planning import PlanSources, callable_version
from control_plane.calling.pauses.errors import AgentAdminPaused, PlatformCallsDisabled
from control_plane.calling.sharing.errors import (
    ShareLinkBusy,
    ShareLinkOff,
    ShareLinkPoolEmpty,
)
from control_plane.calling.sharing.pool_repository import use_of
from control_plane.calling.sharing.pools import Pool
from control_plane.calling.sharing.visiting.admission import granted_seconds
from control_plane.calling.sharing.visiting.price import rate_for_tester
from control_plane.calling.sharing.visiting.schemas import SharedAgent, State
from control_plane.calling.sharing.visiting.share import Share
from control_plane.platform.settings import ControlPlaneSettings


async def shared_agent(
    session: AsyncSession, share: Share, sources: PlanSources, settings: ControlPlaneSettings
) -> SharedAgent:
    if not share.is_open:
        return SharedAgent(state="off", name=None)
    config = await _published(session, share, sources)
    if config is None:
        return SharedAgent(state="unpublished", name=None)
    pool = Pool(share.minutes_limit, await use_of(session, share.tenant_id, share.id))
    state, seconds = _state(share, pool)
    rate = None
    if share.kind == "tester" and state == "empty":
        rate = await rate_for_tester(session, share, sources, settings)
    persona = config.persona
    return SharedAgent(
        state=state,
        name=persona.name or config.name,
        role=persona.role,
        company_name=persona.company_name,
        about=persona.company_description,
        language=config.language,
        minutes_remaining=pool.remaining_seconds // 60,
        max_call_seconds=min(seconds, int(config.advanced.max_call_duration_seconds)),
        is_recorded=config.features.recording_enabled,
        asks_consent=config.features.recording_enabled and config.features.require_consent,
        minutes_requested=share.minutes_requested_at is not None,
        can_pay=rate is not None,
        price_per_min=None if rate is None else usd(rate),
    )


def _state(share: Share, pool: Pool) -> tuple[State, int]:
    try:
        return "ready", granted_seconds(share, pool)
    except ShareLinkOff:
        return "off", 0
    except ShareLinkPoolEmpty:
        return "empty", 0
    except ShareLinkBusy:
        return "busy", 0


async def _published(
    session: AsyncSession, share: Share, sources: PlanSources
) -> AgentConfig | None:
    """The version that calls run; ``None`` if none can begin."""
    facts = await creating.creation_facts(
        session, share.tenant_id, share.agent_id, None, counted=False
    )
    try:
        version, digest = callable_version(facts)
    except (PlatformCallsDisabled, AgentNotFound, AgentAdminPaused, AgentNotPublishReady):
        return None
    agent = await sources.agents.version(session, share.tenant_id, share.agent_id, version, digest)
    return agent.config
