"""Passes a participant's offer to the worker that runs the call, and the answer back."""

from __future__ import annotations

from contextlib import suppress
from uuid import uuid4

import structlog
from redis.exceptions import RedisError
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.commands import CommandRefused, LegAnswered, OfferLeg, RemoveLeg
from contracts.end_reasons import EndReason
from control_plane.calling.calls import repository
from control_plane.calling.calls.ending.hang_up import hang_up
from control_plane.calling.calls.errors import CallAlreadyOver, CallNotFound, NoCapacity
from control_plane.calling.calls.queries import call_records
from control_plane.calling.realtime.access_token import RoomAccess
from control_plane.calling.realtime.errors import BadOffer, CallOver, NoWorker, OfferReplaced
from control_plane.calling.realtime.offer_order import OfferOrder, is_newest
from control_plane.platform.database import Database
from control_plane.platform.link import commands
from control_plane.platform.link.leases import lease_holder, wait_for_lease
from control_plane.platform.link.link import LONGEST_REPLY_SECONDS, Link, LinkUnavailable

CLAIM_WAIT_SECONDS = 8.0
"""How long the first offer waits until a worker has opened the room."""

_log = structlog.get_logger(__name__)


async def join(
    database: Database, link: Link, access: RoomAccess, offer: str, order: OfferOrder | None = None
) -> str:
    """The SDP answer to ``offer``.

    Args:
        order: without it, the offer is taken for the newest one.

    Raises:
        CallNotFound, CallOver: the call does not exist, or is over.
        BadOffer: the worker cannot answer the offer.
        OfferReplaced: it has come too late.
        NoWorker: no worker has opened the room in time, or the worker does not respond.
        NoCapacity: the worker has no slot for the call now.
        LinkUnavailable: Redis is away.
        DatabaseUnavailable: PostgreSQL is away.
    """
    identity = await _identity(database, access)
    request = OfferLeg(
        participant_id=access.participant_id, identity=identity, sdp=offer, reply_to=uuid4()
    )
    try:
        if order and not await is_newest(link.redis, access.call_id, access.participant_id, order):
            raise OfferReplaced("The connection of the later offer stays.")
        worker_id = await wait_for_lease(link.redis, access.call_id, CLAIM_WAIT_SECONDS)
        if worker_id is None:
            raise NoWorker("No media worker has taken the call yet; try again shortly.")
        reply = await commands.offer_leg(
            link.patient_redis, worker_id, access.call_id, request, LONGEST_REPLY_SECONDS
        )
    except (RedisError, OSError) as error:
        _log.warning("offer_not_passed_on", call_id=str(access.call_id), error=str(error))
        raise LinkUnavailable from error
    match reply and reply.body:
        case LegAnswered(sdp=answer):
            return answer
        case CommandRefused(code="bad_offer", detail=detail):
            raise BadOffer(detail)
        case CommandRefused(code="room_closed"):
            raise CallOver
        case CommandRefused(code="no_free_slot"):
            raise NoCapacity(
                "The media worker of this call runs as many calls as it may; the call waits for a "
                "short time, so send the offer again in 2 s",
                retry_seconds=2,
            )
        case CommandRefused(code="no_free_port"):
            raise NoWorker("The media worker of this call has no free UDP port; try again shortly.")
        case _:
            raise NoWorker("The media worker of this call does not respond; try again shortly.")


async def leave(database: Database, link: Link, access: RoomAccess) -> None:
    """Tell the worker that a participant leaves. A call that no worker has taken yet ends, unless
    somebody else was invited, too. Does nothing if the call is over.

    Raises:
        LinkUnavailable: Redis is away.
        DatabaseUnavailable: no worker has the call, and PostgreSQL is away.
    """
    try:
        worker_id = await lease_holder(link.redis, access.call_id)
        if worker_id is not None:
            await commands.send(
                link.redis,
                worker_id,
                access.call_id,
                RemoveLeg(participant_id=access.participant_id),
            )
    except (RedisError, OSError) as error:
        _log.warning("leave_not_passed_on", call_id=str(access.call_id), error=str(error))
        raise LinkUnavailable from error
    if worker_id is None and await _waits_for_nobody_else(database, access):
        with suppress(CallAlreadyOver):
            await hang_up(
                database,
                link.redis,
                access.tenant_id,
                access.call_id,
                reason=EndReason.PARTICIPANT_DISCONNECTED,
            )


async def check_not_over(database: Database, access: RoomAccess) -> None:
    """Check that the call can still be joined.

    Raises:
        CallNotFound, CallOver: the call does not exist, or is over.
        DatabaseUnavailable: PostgreSQL is away.
    """
    async with database.tenant_session(access.tenant_id) as session:
        await _check_not_over(session, access)


async def _waits_for_nobody_else(database: Database, access: RoomAccess) -> bool:
    """Whether no worker has taken the call yet, and this participant alone was invited."""
    async with database.tenant_session(access.tenant_id) as session:
        call = await call_records.find_call(session, access.tenant_id, access.call_id)
        if call is None or call.is_over or call.claimed_at is not None:
            return False
        invited = await repository.participants(session, access.tenant_id, [access.call_id])
    return [each.id for each in invited] == [access.participant_id]


async def _identity(database: Database, access: RoomAccess) -> str:
    """The identity of the participant, if the call is not over."""
    async with database.tenant_session(access.tenant_id) as session:
        await _check_not_over(session, access)
        participant = await repository.participant(
            session, access.tenant_id, access.call_id, access.participant_id
        )
    if participant is None:
        raise CallNotFound
    return participant.identity


async def _check_not_over(session: AsyncSession, access: RoomAccess) -> None:
    call = await call_records.find_call(session, access.tenant_id, access.call_id)
    if call is None:
        raise CallNotFound
    if call.is_over:
        raise CallOver(f"The call ended with {call.end_reason}; create a new one.")
