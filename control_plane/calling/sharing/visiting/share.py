"""What a visitor's token opens: a public link, or a tester's invitation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import LONGEST_CALL_SECONDS
from control_plane.calling.sharing.errors import ShareNotFound
from control_plane.calling.sharing.links import repository as links
from control_plane.calling.sharing.models import ShareLink, Tester
from control_plane.calling.sharing.testers import repository as testers
from control_plane.identity.accounts.tokens import hash_of
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings

ONE_CALL_AT_A_TIME = 1


@dataclass(frozen=True)
class Share:
    """What its owner lets outsiders use of an agent."""

    kind: Literal["link", "tester"]
    id: UUID
    tenant_id: UUID
    agent_id: UUID
    is_open: bool
    minutes_limit: int
    max_call_seconds: int
    max_concurrent: int
    calls_per_ip_hour: int | None
    """``None``: nobody counts them."""
    allowed_origins: tuple[str, ...]
    minutes_requested_at: datetime | None
    email: str | None = None
    """The tester's."""

    @classmethod
    def of_link(cls, link: ShareLink) -> Share:
        return cls(
            kind="link",
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

    @classmethod
    def of_tester(cls, tester: Tester, now: datetime) -> Share:
        return cls(
            kind="tester",
            id=tester.id,
            tenant_id=tester.tenant_id,
            agent_id=tester.agent_id,
            is_open=tester.is_active(now),
            minutes_limit=tester.minutes_limit,
            max_call_seconds=LONGEST_CALL_SECONDS,
            max_concurrent=ONE_CALL_AT_A_TIME,
            calls_per_ip_hour=None,
            allowed_origins=(),
            minutes_requested_at=tester.minutes_requested_at,
            email=tester.email,
        )


async def find_share(database: Database, token: str, settings: ControlPlaneSettings) -> Share:
    """
    Raises:
        ShareNotFound: nothing has this token; perhaps its link has another address now.
    """
    async with database.system_statements() as session:
        link = await links.find_by_token(session, hash_of(token))
        if link is not None and settings.share_links:
            return Share.of_link(link)
        tester = await testers.find_by_token(session, hash_of(token))
    if tester is None:
        raise _not_found()
    return Share.of_tester(tester, datetime.now(UTC))


async def locked_share(session: AsyncSession, share: Share, token: str) -> Share:
    """The share as it is now, locked until the transaction ends, so that nobody else reserves its
    minutes meanwhile.

    Raises:
        ShareNotFound: its token has been replaced since.
    """
    if share.kind == "tester":
        tester = await testers.find(session, share.tenant_id, share.agent_id, share.id)
        if tester is None:
            raise _not_found()
        return Share.of_tester(tester, datetime.now(UTC))
    link = await links.find(session, share.tenant_id, share.agent_id, for_update=True)
    if link is None or link.token_hash != hash_of(token):
        raise _not_found()
    return Share.of_link(link)


def _not_found() -> ShareNotFound:
    return ShareNotFound("Ask for a new link where you got this one")
