"""Ends a call at the request of an API client, with an exact bill.

Only the worker knows exactly how long audio was connected. So it is told to end the call, and its
``call.ended`` makes the bill. The call is billed to its last known position instead if no worker
has claimed it, or the worker cannot be reached or does not react in time.
"""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from uuid import UUID

import structlog
from redis.asyncio import Redis
from redis.exceptions import RedisError

from contracts.commands import EndCall
from contracts.end_reasons import EndReason
from control_plane.calling.calls import repository
from control_plane.calling.calls.ending.call_end import billed_position_ms, end_call
from control_plane.calling.calls.errors import CallAlreadyOver, CallNotFound
from control_plane.calling.calls.models import Call
from control_plane.calling.calls.queries.call_records import find_call
from control_plane.platform.database import Database
from control_plane.platform.link import commands
from control_plane.platform.link.applied_cursors import clear_ended_call
from control_plane.platform.link.leases import lease_holder
from control_plane.platform.link.media_positions import media_position

WORKER_REACTION_SECONDS = 3.0
POLL_INTERVAL_SECONDS = 0.1
_log = structlog.get_logger(__name__)


async def hang_up(
    database: Database,
    redis: Redis,
    tenant_id: UUID,
    call_id: UUID,
    reaction_seconds: float = WORKER_REACTION_SECONDS,
    reason: EndReason = EndReason.NORMAL_HANGUP,
) -> str:
    """End the call, wait until it is over, and return a sentence that tells how it ended.

    Raises:
        CallNotFound: the tenant has no such call.
        CallAlreadyOver: it ended earlier.
        DatabaseUnavailable: PostgreSQL is away.
    """
    async with database.tenant_session(tenant_id) as session:
        call = await repository.locked_call(session, tenant_id, call_id)
        if call is None:
            raise CallNotFound
        if call.is_over:
            raise CallAlreadyOver(f"The call ended with {call.end_reason}.")
        call.end_requested_at = datetime.now(UTC)
        call.end_requested_reason = reason.value
    worker_id = await _ask_worker(redis, call, reason)
    if worker_id is not None and await _is_over_within(
        database, tenant_id, call_id, reaction_seconds
    ):
        return "The call was ended."
    media_ms = await _last_position(redis, call_id)
    # Another tenant's account is closed to the session of this one.
    is_own = call.payer_tenant_id is None
    settling = database.tenant_session(tenant_id) if is_own else database.system_session()
    async with settling as session:
        call = await repository.locked_call(session, tenant_id, call_id)
        assert call is not None, "calls are never deleted"
        connected_ms = billed_position_ms(call.started_at is not None, call.metered_ms, media_ms)
        await end_call(session, call, reason, connected_ms, datetime.now(UTC))
    await _clear_link(redis, call)
    if worker_id is None and connected_ms is None:
        return "The call was ended before a worker had taken it."
    return "The call was ended and billed to its last known second."


async def _ask_worker(redis: Redis, call: Call, reason: EndReason) -> str | None:
    """Send the command to the call's worker; ``None`` if it has none or Redis is away."""
    try:
        worker_id = await lease_holder(redis, call.id)
        if worker_id is not None:
            await commands.send(redis, worker_id, call.id, EndCall(end_reason=reason))
    except (RedisError, OSError) as error:
        _log.warning("end_not_sent", call_id=str(call.id), error=str(error))
        return None
    return worker_id


async def _is_over_within(
    database: Database, tenant_id: UUID, call_id: UUID, seconds: float
) -> bool:
    """Wait until the worker's ``call.ended`` has been applied."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        await asyncio.sleep(POLL_INTERVAL_SECONDS)
        async with database.tenant_session(tenant_id) as session:
            call = await find_call(session, tenant_id, call_id)
            if call is not None and call.is_over:
                return True
    return False


async def _last_position(redis: Redis, call_id: UUID) -> int | None:
    try:
        media = await media_position(redis, call_id)
    except (RedisError, OSError) as error:
        _log.warning("media_position_unknown", call_id=str(call_id), error=str(error))
        return None
    return media.connected_ms if media else None


async def _clear_link(redis: Redis, call: Call) -> None:
    """Remove what Redis still holds of the call. Anything that cannot be removed now expires."""
    try:
        await clear_ended_call(
            redis, call.tenant_id, call.id, call.applied_seq, call.dispatch_entry_id
        )
    except (RedisError, OSError) as error:
        _log.warning("link_not_cleared", call_id=str(call.id), error=str(error))
