"""What a visitor's token opens: a public link."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.sharing.errors import ShareNotFound
from control_plane.calling.sharing.links import repository as links
from control_plane.calling.sharing.models import ShareLink
from control_plane.identity.accounts.tokens import hash_of
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings


@dataclass(frozen=True)
class Share:
    """What its owner lets outsiders use of an agent."""

    id: UUID
    tenant_id: UUID
    agent_id: UUID
    is_open: bool
    minutes_limit: int
    max_call_seconds: int
    max_concurrent: int
    calls_per_ip_hour: int
    allowed_origins: tuple[str, ...]
    minutes_requested_at: datetime | None

    @classmethod
    def of_link(cls, link: ShareLink) -> Share:
        return cls(
            id=link.id,
            tenant_id=link.tenant_id,
            agent_id=link.agent_id,
            is_open=link.enabled,
            minutes_limit=link.minutes_limit,
            max_call_seconds=link.max_call_seconds,
            max_concurrent=link.max_concurrent,
            calls_per_ip_hour=link.calls_per_ip_hour,
            allowed_origins=tuple(link.allowed_origins),
            minutes_requested_at=link.minutes_requested_at,
        )


async def find_share(database: Database, token: str, settings: ControlPlaneSettings) -> Share:
    """
    Raises:
        ShareNotFound: nothing has this token; perhaps its link has another address now.
    """
    async with database.system_statements() as session:
        link = await links.find_by_token(session, hash_of(token))
    if link is None or not settings.share_links:
        raise ShareNotFound("Ask for a new link where you got this one")
    return Share.of_link(link)


async def locked_share(session: AsyncSession, share: Share, token: str) -> Share:
    """The share as it is now, locked until the transaction ends, so that nobody else reserves its
    minutes meanwhile.

    Raises:
        ShareNotFound: its token has been replaced since.
    """
    link = await links.find(session, share.tenant_id, share.agent_id, for_update=True)
    if link is None or link.token_hash != hash_of(token):
        raise ShareNotFound("Ask for a new link where you got this one")
    return Share.of_link(link)
