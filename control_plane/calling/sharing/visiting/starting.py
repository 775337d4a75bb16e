"""Starts a visitor's call: the checks, the reserve of minutes and the call in one transaction."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.building.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.calling.calls.creating import new_call
from control_plane.calling.calls.creating.new_call import NewCall
from control_plane.calling.calls.creating.services import CreatingServices
from control_plane.calling.calls.errors import ProviderKeyUnavailable, TooManyCalls
from control_plane.calling.pauses.errors import AgentAdminPaused
from control_plane.calling.sharing.errors import (
    ShareLinkBusy,
    ShareLinkPoolEmpty,
    ShareLinkUnpublished,
)
from control_plane.calling.sharing.models import SharedCall
from control_plane.calling.sharing.pool_repository import use_of
from control_plane.calling.sharing.pools import Pool
from control_plane.calling.sharing.testers.owner_keys import runs_on_owner_keys
from control_plane.calling.sharing.visiting.admission import check_may_pay, granted_seconds
from control_plane.calling.sharing.visiting.hourly_calls import counted_call
from control_plane.calling.sharing.visiting.payer import Payer
from control_plane.calling.sharing.visiting.share import Share, locked_share
from control_plane.calling.sharing.visiting.wanted_call import wanted_call
from control_plane.identity.request_limits.client_identity import address_identity
from control_plane.money.billing.errors import InsufficientCredits
from control_plane.platform.database import Database

_UNKNOWN = "unknown"


async def start_call(
    database: Database, services: CreatingServices, share: Share, token: str, address: str | None
) -> NewCall:
    """The new call, which is committed; the caller dispatches it.

    Args:
        address: of the visitor, behind the trusted proxies.

    Raises:
        ShareNotFound: the link has another address now.
        ShareLinkOff, ShareLinkUnpublished, ShareLinkPoolEmpty, ShareLinkBusy
        ShareLinkRateLimited: the address has used its calls of this hour.
        LinkUnavailable: its calls cannot be counted.
        PlatformCallsDisabled, NoCapacity: no call can begin, whoever asks.
    """
    async with database.tenant_session(share.tenant_id) as session:
        # What is refused anyway need not wait for those that are just beginning.
        use = await use_of(session, share.tenant_id, share.id)
        granted_seconds(share, Pool(share.minutes_limit, use))
    if share.calls_per_ip_hour is None:
        return await _start(database, services, share, token)
    visitor = address_identity(address) or _UNKNOWN
    async with counted_call(services.redis, share.id, visitor, share.calls_per_ip_hour):
        return await _start(database, services, share, token)


async def _start(
    database: Database, services: CreatingServices, share: Share, token: str
) -> NewCall:
    async with database.tenant_session(share.tenant_id) as session:
        share, pool = await _locked(session, share, token)
        return await _start_free(session, services, share, pool)


async def start_paid_call(
    database: Database, services: CreatingServices, share: Share, token: str, payer: Payer
) -> NewCall:
    """A tester's new call, committed. Free minutes are used first; the payer pays for a call that
    begins when there are none left.

    Raises:
        InsufficientCredits: the payer's balance does not cover the first seconds.
        ShareNotFound, ShareLinkOff, ShareLinkUnpublished, ShareLinkBusy, PlatformCallsDisabled,
            NoCapacity: as ``start_call``.
        ShareLinkPoolEmpty: the agent runs on its owner's keys, which nobody else can pay for.
    """
    # Both accounts are in it: each tenant's own session is closed to the other's.
    async with database.system_session() as session:
        share, pool = await _locked(session, share, token)
        if not pool.is_used_up:
            return await _start_free(session, services, share, pool)
        check_may_pay(share, pool)
        try:
            new = await _create(
                session, services, share, pool, share.max_call_seconds, payer.tenant_id
            )
        except InsufficientCredits:
            raise InsufficientCredits(
                f"The balance of {payer.name} does not cover the first 30 seconds of a call: add "
                "credit in the console, or ask the agent's owner for minutes"
            ) from None
        if runs_on_owner_keys(new.plan):
            raise ShareLinkPoolEmpty(
                "This agent runs on its owner's provider keys, so only free minutes can be used; "
                "you can ask for more"
            )
        return new


async def _locked(session: AsyncSession, share: Share, token: str) -> tuple[Share, Pool]:
    share = await locked_share(session, share, token)
    return share, Pool(share.minutes_limit, await use_of(session, share.tenant_id, share.id))


async def _start_free(
    session: AsyncSession, services: CreatingServices, share: Share, pool: Pool
) -> NewCall:
    try:
        return await _create(session, services, share, pool, granted_seconds(share, pool), None)
    except InsufficientCredits:
        raise ShareLinkPoolEmpty("The agent's owner has to add minutes first") from None


async def _create(
    session: AsyncSession,
    services: CreatingServices,
    share: Share,
    pool: Pool,
    longest_seconds: int,
    payer_id: UUID | None,
) -> NewCall:
    try:
        new = await new_call.create_call(
            session,
            share.tenant_id,
            wanted_call(share, is_paid_by_tester=payer_id is not None),
            services.settings,
            services.sources,
            capacity=services.capacity,
            longest_seconds=longest_seconds,
            payer_id=payer_id,
        )
    # What is wrong with the agent or its account is its owner's business, not the visitor's.
    except (AgentNotFound, AgentNotPublishReady, AgentAdminPaused, ProviderKeyUnavailable):
        raise ShareLinkUnpublished from None
    except TooManyCalls:
        raise ShareLinkBusy(share.max_concurrent, pool.use.live_calls) from None
    session.add(
        SharedCall(
            call_id=new.plan.call_id,
            tenant_id=share.tenant_id,
            share_id=share.id,
            reserved_seconds=new.plan.limits.max_duration_seconds,
        )
    )
    await session.flush()
    return new
