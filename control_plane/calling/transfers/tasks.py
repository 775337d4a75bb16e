"""The job that calls the phone to which a call is transferred."""

from __future__ import annotations

from uuid import UUID

import structlog
from procrastinate import JobContext

from control_plane.calling.calls import repository
from control_plane.calling.dialing.after_commit import tell_not_reached
from control_plane.calling.dialing.errors import NeverDialable
from control_plane.calling.transfers.asking import DIAL
from control_plane.calling.transfers.target import call_target, note_refusal
from control_plane.platform.errors import DatabaseUnavailable, Problem
from control_plane.platform.job_queue import (
    ONLY_IF_STOPPED,
    PATIENT_QUEUE,
    database_of,
    job_queue,
    settings_of,
)
from control_plane.platform.link.redis_client import connect
from link.connection import LINK_ERRORS

_log = structlog.get_logger(__name__)


@job_queue.task(name=DIAL, queue=PATIENT_QUEUE, pass_context=True, retry=ONLY_IF_STOPPED)
async def dial(
    context: JobContext, *, tenant_id: str, call_id: str, participant_id: str, to_number: str
) -> None:
    """Call the phone. If that is refused, the call's worker is told, so that the agent goes on."""
    tenant, call, participant = UUID(tenant_id), UUID(call_id), UUID(participant_id)
    database, settings = database_of(context), settings_of(context)
    try:
        async with database.system_session() as session:
            await call_target(session, tenant, call, participant, to_number, settings.dialing)
        return
    except DatabaseUnavailable:
        raise
    except Problem as problem:
        why = problem.detail
    except NeverDialable as error:
        why = str(error)
    _log.info("transfer_refused", call_id=call_id, why=why)
    async with database.system_session() as session:
        found = await repository.locked_call(session, tenant, call)
        if found is not None:
            await note_refusal(session, found, to_number, why)
    redis = connect(settings.redis_url)
    try:
        await tell_not_reached(redis, call, participant, why)
    except LINK_ERRORS as error:
        _log.warning("transfer_refusal_not_sent", call_id=call_id, error=str(error))
    finally:
        await redis.aclose()
