"""Creating, changing and regenerating an agent's public link."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents import repository as agents
from control_plane.building.agents.errors import AgentNotFound
from control_plane.calling.sharing.errors import ShareLinkNotFound, ShareLinksDisabled
from control_plane.calling.sharing.links import repository
from control_plane.calling.sharing.links.schemas import ShareLinkChange
from control_plane.calling.sharing.models import ShareLink
from control_plane.identity.accounts.tokens import hash_of, new_token
from control_plane.platform.audit.recording import record_change
from control_plane.platform.settings import ControlPlaneSettings
from control_plane.platform.tenancy.caller import Caller


async def check_agent(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, settings: ControlPlaneSettings
) -> None:
    """
    Raises:
        ShareLinksDisabled: the installation has no links.
        AgentNotFound
    """
    if not settings.share_links:
        raise ShareLinksDisabled
    if await agents.find(session, tenant_id, agent_id) is None:
        raise AgentNotFound


async def change_link(
    session: AsyncSession,
    caller: Caller,
    agent_id: UUID,
    change: ShareLinkChange,
    settings: ControlPlaneSettings,
) -> ShareLink:
    """Change the fields that were sent; without a link, create it with the others' defaults.

    Raises:
        ShareLinksDisabled, AgentNotFound
    """
    await check_agent(session, caller.tenant_id, agent_id, settings)
    link = await repository.find(session, caller.tenant_id, agent_id, for_update=True)
    if link is None:
        token = new_token()
        is_new = await repository.add(
            session,
            caller.tenant_id,
            agent_id,
            datetime.now(UTC),
            sealed_token=settings.sealer.seal(token),
            token_hash=hash_of(token),
            **change.model_dump(),
        )
        link = await _locked(session, caller.tenant_id, agent_id)
        if is_new:
            record_change(
                session, caller, "share_link.created", target_id=link.id, changes=_shown(change)
            )
            return link
    sent = change.model_dump(include=change.model_fields_set)
    if sent.get("minutes_limit", 0) > link.minutes_limit:
        link.minutes_requested_at = None
    changed = {name: value for name, value in sent.items() if getattr(link, name) != value}
    for name, value in changed.items():
        setattr(link, name, value)
    if changed:
        record_change(session, caller, "share_link.changed", target_id=link.id, changes=changed)
    await session.flush()
    return link


async def regenerate_link(
    session: AsyncSession, caller: Caller, agent_id: UUID, settings: ControlPlaneSettings
) -> ShareLink:
    """Give the link another address. The old one is dead when this is committed.

    Raises:
        ShareLinksDisabled, AgentNotFound, ShareLinkNotFound
    """
    await check_agent(session, caller.tenant_id, agent_id, settings)
    link = await _locked(session, caller.tenant_id, agent_id)
    token = new_token()
    link.sealed_token, link.token_hash = settings.sealer.seal(token), hash_of(token)
    record_change(session, caller, "share_link.regenerated", target_id=link.id)
    await session.flush()
    return link


async def _locked(session: AsyncSession, tenant_id: UUID, agent_id: UUID) -> ShareLink:
    link = await repository.find(session, tenant_id, agent_id, for_update=True)
    if link is None:
        raise ShareLinkNotFound("Create it with PUT /v1/agents/{agent_id}/share-link")
    return link


def _shown(change: ShareLinkChange) -> dict[str, object]:
    return change.model_dump(include=change.model_fields_set)
