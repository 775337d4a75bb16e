"""What workers and bridges are told once a change of the dialing queue has committed.

What cannot be sent now is sent by the scheduler's next round or by the re-dispatcher.
"""

from __future__ import annotations

from uuid import UUID

import structlog
from redis.asyncio import Redis

from contracts.commands import PhoneNotReached, ReleaseCall, RemoveLeg
from control_plane.calling.calls.creating.dispatcher import dispatch_call, reserve_worker
from control_plane.calling.dialing.attempts import AfterCommit
from control_plane.platform.database import Database
from control_plane.platform.link import commands
from control_plane.platform.link.dialing import hang_up_leg, hang_up_lost_leg
from control_plane.platform.link.leases import lease_holder
from link.connection import LINK_ERRORS

_log = structlog.get_logger(__name__)


async def follow_up(database: Database, redis: Redis, after: AfterCommit) -> None:
    if after.dispatch is not None:
        await dispatch_call(database, redis, after.dispatch)
    if after.reserve is not None:
        await reserve_worker(redis, after.reserve)
    try:
        if after.release is not None:
            worker_id = await lease_holder(redis, after.release)
            if worker_id is not None:
                await commands.send(redis, worker_id, after.release, ReleaseCall())
        if after.hang_up is not None:
            await hang_up_leg(redis, *after.hang_up)
        if after.lost_leg is not None:
            await hang_up_lost_leg(redis, after.lost_leg)
        if after.unreached is not None:
            call_id, participant_id, why = after.unreached
            await tell_not_reached(redis, call_id, participant_id, why)
        if after.left is not None:
            call_id, participant_id = after.left
            worker_id = await lease_holder(redis, call_id)
            if worker_id is not None:
                removal = RemoveLeg(participant_id=participant_id, lost_carrier=after.lost_carrier)
                await commands.send(redis, worker_id, call_id, removal)
    except LINK_ERRORS as error:
        _log.warning("dialing_follow_up_not_sent", error=str(error))


async def tell_not_reached(redis: Redis, call_id: UUID, participant_id: UUID, why: str) -> None:
    """Tell the call's worker that a phone will not come.

    Raises:
        RedisError, OSError: Redis is away; the worker waits for a time of its own.
    """
    if (worker_id := await lease_holder(redis, call_id)) is not None:
        body = PhoneNotReached(participant_id=participant_id, why=why)
        await commands.send(redis, worker_id, call_id, body)
