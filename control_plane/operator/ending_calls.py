"""Ending every running call of an agent.

The wish is written to the calls' rows first, in the transaction of whoever wishes it, and then sent
to the workers. The reaper ends the calls of those that do not follow in time, or never heard of it,
so nothing is lost when Redis is away.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError
from sqlalchemy import update
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.commands import EndCall
from contracts.end_reasons import EndReason
from control_plane.calling.calls.models import Call
from control_plane.platform.link import commands
from control_plane.platform.link.leases import lease_holder

_REASON = EndReason.NORMAL_HANGUP
_log = structlog.get_logger(__name__)


async def request_ends(
    session: AsyncSession, tenant_id: UUID, agent_id: UUID, at: datetime
) -> Sequence[UUID]:
    """Mark every running call of the agent to be ended; returns their ids."""
    marked = await session.scalars(
        update(Call)
        .where(
            Call.tenant_id == tenant_id,
            Call.agent_id == agent_id,
            Call.ended_at.is_(None),
            Call.end_requested_at.is_(None),
        )
        .values(end_requested_at=at, end_requested_reason=_REASON.value)
        .returning(Call.id)
        .execution_options(synchronize_session=False)
    )
    return marked.all()


async def tell_workers(redis: Redis, call_ids: Sequence[UUID]) -> None:
    """Ask the workers of these calls to end them now."""
    try:
        for call_id in call_ids:
            worker_id = await lease_holder(redis, call_id)
            if worker_id is not None:
                await commands.send(redis, worker_id, call_id, EndCall(end_reason=_REASON))
    except (RedisError, OSError) as error:
        _log.warning("ends_not_sent", calls=len(call_ids), error=str(error))
