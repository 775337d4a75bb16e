"""What a minute costs a tester who pays for it."""

from __future__ import annotations

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.calling.calls.creating import repository as creating
from control_plane.calling.calls.creating.planning import PlanSources, freeze_plan
from control_plane.calling.calls.errors import ProviderKeyUnavailable
from control_plane.calling.pauses.errors import AgentAdminPaused, PlatformCallsDisabled
from control_plane.calling.sharing.testers.owner_keys import runs_on_owner_keys
from control_plane.calling.sharing.visiting.share import Share
from control_plane.calling.sharing.visiting.wanted_call import wanted_call
from control_plane.platform.settings import ControlPlaneSettings


async def rate_for_tester(
    session: AsyncSession, share: Share, sources: PlanSources, settings: ControlPlaneSettings
) -> int | None:
    """Micro-dollars a minute, at the prices that a call's plan would freeze now; the dearest of all
    agents that it can hand over to. ``None``: the owner's own keys would pay a part, or no call can
    begin.
    """
    facts = await creating.creation_facts(
        session, share.tenant_id, share.agent_id, None, counted=False
    )
    wanted = wanted_call(share, is_paid_by_tester=True)
    try:
        frozen = await freeze_plan(
            session, sources, facts, share.tenant_id, wanted, {}, settings.available_providers
        )
    except (
        PlatformCallsDisabled,
        AgentNotFound,
        AgentAdminPaused,
        AgentNotPublishReady,
        ProviderKeyUnavailable,
    ):
        return None
    if runs_on_owner_keys(frozen.plan):
        return None
    return frozen.plan.highest_rate_micros_per_minute
