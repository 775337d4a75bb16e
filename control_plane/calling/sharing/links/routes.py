"""``/v1/agents/{agent_id}/share-link``."""

from __future__ import annotations

from uuid import UUID

from fastapi import APIRouter

from control_plane.building.agents.errors import AgentNotFound
from control_plane.calling.sharing.errors import ShareLinkNotFound, ShareLinksDisabled
from control_plane.calling.sharing.links import repository, service
from control_plane.calling.sharing.links.schemas import (
    ShareLinkAnswer,
    ShareLinkChange,
    ShareLinkFound,
)
from control_plane.calling.sharing.links.views import link_view
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.platform.http.dependencies import AppSettings
from control_plane.platform.http.openapi import problems

router = APIRouter(
    prefix="/v1/agents/{agent_id}/share-link", tags=["sharing"], route_class=IdempotentRoute
)


@router.get("", responses=problems(*MEMBER_ONLY, AgentNotFound, ShareLinksDisabled))
async def get_share_link(
    agent_id: UUID, caller: MemberCaller, session: TenantSession, settings: AppSettings
) -> ShareLinkFound:
    """The agent's public link with its minutes, or `null` if it has none yet."""
    await service.check_agent(session, caller.tenant_id, agent_id, settings)
    link = await repository.find(session, caller.tenant_id, agent_id)
    return ShareLinkFound(link=None if link is None else await link_view(session, link, settings))


@router.put("", responses=problems(*MEMBER_ONLY, AgentNotFound, ShareLinksDisabled))
async def put_share_link(
    agent_id: UUID,
    change: ShareLinkChange,
    caller: MemberCaller,
    session: TenantSession,
    settings: AppSettings,
) -> ShareLinkAnswer:
    """Create the agent's public link, or change the fields that are sent.

    `enabled: false` switches it off and keeps its address. Calls that run go on.
    """
    link = await service.change_link(session, caller, agent_id, change, settings)
    return ShareLinkAnswer(link=await link_view(session, link, settings))


@router.post(
    "/regenerate",
    responses=problems(*MEMBER_ONLY, AgentNotFound, ShareLinksDisabled, ShareLinkNotFound),
)
async def regenerate_share_link(
    agent_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    settings: AppSettings,
    _: OncePerKey,
) -> ShareLinkAnswer:
    """Give the link a new address. The old one stops working at once; what is used stays used."""
    link = await service.regenerate_link(session, caller, agent_id, settings)
    return ShareLinkAnswer(link=await link_view(session, link, settings))
