"""Deletes the bundles of sources that no call needs any more."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from uuid import UUID

from procrastinate import JobContext
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.call_plan import LONGEST_CALL_SECONDS, LONGEST_WAIT_SECONDS
from control_plane.building.knowledge_sources import repository
from control_plane.building.knowledge_sources.bundle_store import (
    delete_bundle,
    delete_bundles,
    prompt_store,
)
from control_plane.platform.job_queue import (
    PATIENT_QUEUE,
    TRIED_FOR_A_DAY,
    database_of,
    enqueue,
    job_queue,
    settings_of,
)

KEPT_FOR_CALLS = timedelta(seconds=LONGEST_WAIT_SECONDS + LONGEST_CALL_SECONDS + 3_600)
"""How long a bundle stays after it is replaced or its source deleted: a call whose plan names it
may wait, ring and run so long."""
DELETION_PRIORITY = -2
"""Of jobs. A deletion must come after all others of its source: it waits for days with the source's
lock, and would hold up what has the same priority."""


@job_queue.task(
    name="knowledge.delete_bundles", queue=PATIENT_QUEUE, pass_context=True, retry=TRIED_FOR_A_DAY
)
async def delete_old_bundles(
    context: JobContext, *, tenant_id: str, source_id: str, digest: str | None = None
) -> None:
    """Delete a bundle unless calls search it again: a page may have changed back. Without
    ``digest``, delete all bundles of a source that does not exist any more.

    It needs no processor, and would wait for ever behind the ingestions of an installation whose
    pages come due faster than they are read."""
    tenant, source = UUID(tenant_id), UUID(source_id)
    url = settings_of(context).object_store_url
    async with database_of(context).system_session() as session:
        found = await repository.find(session, tenant, source, for_update=True)
        is_current = found is not None and digest in (None, found.bundle_digest)
        if is_current or await repository.is_deleted_later(
            session, delete_old_bundles.name, source, digest
        ):
            return
        if digest is not None:
            # In the transaction: nobody can make it the current one before it is gone.
            await asyncio.to_thread(
                lambda: delete_bundle(prompt_store(url), tenant, source, digest)
            )
            return
    await asyncio.to_thread(lambda: delete_bundles(prompt_store(url), tenant, source))


async def enqueue_deletion(
    session: AsyncSession, tenant_id: UUID, source_id: UUID, digest: str | None
) -> None:
    """Have a bundle deleted when no call can need it any more; ``None``: all bundles of a source
    that is deleted."""
    await enqueue(
        session,
        delete_old_bundles,
        not_within=KEPT_FOR_CALLS,
        lock=lock_of(source_id),
        priority=DELETION_PRIORITY,
        tenant_id=str(tenant_id),
        source_id=str(source_id),
        digest=digest,
    )


def lock_of(source_id: UUID) -> str:
    """Who stores or deletes bundles of a source does so alone."""
    return f"knowledge/{source_id}"
