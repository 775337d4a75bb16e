"""Deletes what tenants no longer want to keep, a few calls at a time."""

from __future__ import annotations

import asyncio
from datetime import datetime, timedelta

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.erasure import call_data_repository as call_data
from control_plane.calling.erasure.call_objects import delete_objects_of
from control_plane.calling.recordings.object_store import open_store
from control_plane.calling.retention import repository
from control_plane.calling.retention.models import DataRetention
from control_plane.calling.retention.repository import OldCall
from control_plane.platform.database import Database

CALLS_AT_ONCE = 100
_log = structlog.get_logger(__name__)


async def delete_expired(database: Database, store_url: str, now: datetime) -> int:
    """Returns of how many calls something was due, over all tenants and kinds of data.

    It can be stopped and repeated: each batch is one transaction, which also notes how far it is.

    Raises:
        DatabaseUnavailable: PostgreSQL is down.
        obstore.exceptions.BaseError, OSError: the object store is away.
    """
    async with database.system_session() as session:
        limited = await repository.all_limited(session)
    total = 0
    for retention in limited:
        done = 0
        while count := await _delete_batch(database, store_url, retention, now):
            done += count
        if done:
            _log.info(
                "expired_data_deleted",
                tenant_id=str(retention.tenant_id),
                kind=retention.kind,
                calls=done,
            )
        total += done
    return total


async def _delete_batch(
    database: Database, store_url: str, retention: DataRetention, now: datetime
) -> int:
    """Returns the number of calls; 0 if nothing is due."""
    assert retention.days is not None
    async with database.system_session() as session:
        found = await repository.old_calls(
            session,
            retention.tenant_id,
            after=retention.done_until,
            before=now - timedelta(days=retention.days),
            limit=CALLS_AT_ONCE,
        )
        calls = _until_one_is_not_over(found)
        if not calls:
            return 0
        await _delete(session, store_url, retention, calls)
        retention.done_until = calls[-1].created_at
        await repository.note_done(
            session, retention.tenant_id, retention.kind, retention.done_until
        )
    return len(calls)


def _until_one_is_not_over(calls: list[OldCall]) -> list[OldCall]:
    """A phone call may wait for long. What it leaves behind comes later, so nothing behind it is
    noted as done."""
    for index, call in enumerate(calls):
        if call.ended_at is None:
            waits_since = call.created_at
            return [each for each in calls[:index] if each.created_at < waits_since]
    return calls


async def _delete(
    session: AsyncSession, store_url: str, retention: DataRetention, calls: list[OldCall]
) -> None:
    tenant_id, call_ids = retention.tenant_id, [call.id for call in calls]
    match retention.kind:
        case "transcripts":
            await call_data.delete_transcripts(session, tenant_id, call_ids)
        case "event_logs":
            await call_data.delete_event_logs(session, tenant_id, call_ids)
            await call_data.delete_outbox_events(session, tenant_id, call_ids)
        case "recordings":
            # The objects go first: without its row nobody would find them again.
            store = open_store(store_url)
            for call_id in await repository.with_recordings(session, tenant_id, call_ids):
                await asyncio.to_thread(delete_objects_of, store, tenant_id, call_id)
            await call_data.delete_recordings(session, tenant_id, call_ids)
