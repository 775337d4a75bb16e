"""The jobs that erase a caller's data. Both may run again."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from procrastinate import JobContext, RetryStrategy

from control_plane.calling.erasure import repository
from control_plane.calling.erasure.erasing import Erasing
from control_plane.platform.database import Database
from control_plane.platform.job_queue import (
    TRIED_FOR_A_DAY,
    database_of,
    job_queue,
    settings_of,
    when_given_up,
)

MOST_ATTEMPTS = 10
"""Of erasing: about half an hour in all."""
SECOND_LOOK_AFTER = timedelta(days=1)
"""By then no worker stores parts of these calls' recordings any more."""


class CallsStillInUse(Exception):
    """Calls of the caller run, or jobs still work on them."""


@job_queue.task(
    name="erasure.erase_caller",
    pass_context=True,
    retry=RetryStrategy(max_attempts=MOST_ATTEMPTS, exponential_wait=2),
)
async def erase_caller(context: JobContext, *, tenant_id: str, erasure_id: str) -> None:
    """Erase call after call, and write the proof when none is left."""
    database, settings = database_of(context), settings_of(context)
    tenant, erasure = UUID(tenant_id), UUID(erasure_id)
    async with database.system_session() as session:
        found = await repository.locked(session, tenant, erasure)
        if found is None or found.sealed_caller is None:
            return
        # What the last try waited for may be over, and must not explain why this one fails.
        found.waits_for = None
        caller = settings.sealer.open(found.sealed_caller)
    erasing = Erasing(database, settings.object_store_url, tenant, erasure, caller)
    await erasing.erase_calls()
    left = await erasing.finish()
    if left:
        await erasing.note_waiting(left)
        raise CallsStillInUse(f"{left} calls")


@when_given_up(erase_caller)
async def fail_erasure(database: Database, *, tenant_id: str, erasure_id: str) -> None:
    """It is not completed, and the caller is not kept any longer."""
    async with database.system_session() as session:
        erasure = await repository.locked(session, UUID(tenant_id), UUID(erasure_id))
        if erasure is not None and erasure.status == "running":
            erasure.status, erasure.sealed_caller = "failed", None
            if erasure.waits_for is None:
                erasure.waits_for = "The erasure failed too often; ask again"
            else:
                erasure.waits_for += "; end them and ask again"


@job_queue.task(name="erasure.look_again", pass_context=True, retry=TRIED_FOR_A_DAY)
async def look_again(context: JobContext, *, tenant_id: str, erasure_id: str) -> None:
    """Delete the parts of recordings that a worker stored after the erasure."""
    database, url = database_of(context), settings_of(context).object_store_url
    await Erasing(database, url, UUID(tenant_id), UUID(erasure_id), caller="").delete_objects()
