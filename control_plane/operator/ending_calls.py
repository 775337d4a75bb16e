"""Ending every running call of an agent.

The request is first written to the calls' rows, in the caller's transaction, and then sent to the
workers. The reaper ends the calls that no worker has, and those that a worker does not end in time,
so all of them end even when Redis is down."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.commands import EndCall
from contracts.end_reasons import EndReason
from control_plane.calling.calls import repository as calls
from control_plane.platform.link import commands
from control_plane.platform.link.leases import lease_holder

_REASON = EndReason.NORMAL_HANGUP
_log = structlog.get_logger(__name__)


async def request_ends(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, at: datetime
) -> Sequence[UUID]:
    """Mark every running call of the agent for ending; returns their ids."""
    return await calls.request_ends_of_agent(session, tenant_id, agent_id, at, _REASON.value)


async def tell_workers(redis: Redis, call_ids: Sequence[UUID]) -> None:
    """Ask the workers of these calls to end them now. Calls that cannot be reached are left to the
    reaper."""
    try:
        for call_id in call_ids:
            worker_id = await lease_holder(redis, call_id)
            if worker_id is not None:
                await commands.send(redis, worker_id, call_id, EndCall(end_reason=_REASON))
    except (RedisError, OSError) as error:
        _log.warning("ends_not_sent", calls=len(call_ids), error=str(error))
