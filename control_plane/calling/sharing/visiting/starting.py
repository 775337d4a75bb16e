"""Starts a visitor's call: the checks, the reserve of minutes and the call in one transaction."""

from __future__ import annotations

from uuid import uuid4

from control_plane.building.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.calling.calls.creating import new_call
from control_plane.calling.calls.creating.new_call import NewCall
from control_plane.calling.calls.creating.services import CreatingServices
from control_plane.calling.calls.errors import ProviderKeyUnavailable, TooManyCalls
from control_plane.calling.calls.schemas import CallCreate, ParticipantInput
from control_plane.calling.pauses.errors import AgentAdminPaused
from control_plane.calling.sharing.errors import (
    ShareLinkBusy,
    ShareLinkPoolEmpty,
    ShareLinkUnpublished,
)
from control_plane.calling.sharing.models import SharedCall
from control_plane.calling.sharing.pool_repository import use_of
from control_plane.calling.sharing.pools import Pool
from control_plane.calling.sharing.visiting.admission import granted_seconds
from control_plane.calling.sharing.visiting.hourly_calls import counted_call
from control_plane.calling.sharing.visiting.share import Share, locked_share
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
        share = await locked_share(session, share, token)
        use = await use_of(session, share.tenant_id, share.id)
        seconds = granted_seconds(share, Pool(share.minutes_limit, use))
        try:
            new = await new_call.create_call(
                session,
                share.tenant_id,
                _wanted(share),
                services.settings,
                services.sources,
                capacity=services.capacity,
                longest_seconds=seconds,
            )
        # What is wrong with the agent or its account is its owner's business, not the visitor's.
        except (AgentNotFound, AgentNotPublishReady, AgentAdminPaused, ProviderKeyUnavailable):
            raise ShareLinkUnpublished from None
        except InsufficientCredits:
            raise ShareLinkPoolEmpty("The agent's owner has to add minutes first") from None
        except TooManyCalls:
            raise ShareLinkBusy(share.max_concurrent, use.live_calls) from None
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


def _wanted(share: Share) -> CallCreate:
    identity = share.email or f"visitor-{uuid4()}"
    named = "tester_id" if share.kind == "tester" else "share_link_id"
    return CallCreate(
        agent_id=share.agent_id,
        participants=[ParticipantInput(transport="webrtc", identity=identity)],
        metadata={named: str(share.id)},
    )
