"""Deletes what tenants no longer want to keep, a few calls at a time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.calling.erasure import call_data_repository as call_data
from control_plane.calling.erasure.call_objects import delete_objects_of
from control_plane.calling.recordings.object_store import open_store, store_errors
from control_plane.calling.retention import repository
from control_plane.calling.retention.models import DataRetention, Kind
from control_plane.calling.retention.repository import OldCall
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable

CALLS_AT_ONCE = 100
_log = structlog.get_logger(__name__)


class NotAllDeleted(Exception):
    """What of some tenants is too old could not be deleted; that of the others is."""


async def delete_expired(database: Database, store_url: str, now: datetime) -> int:
    """Returns of how many calls something was due, over all tenants and kinds of data.

    It can be stopped and repeated: each batch notes how far it is. What fails for one tenant does
    not stop the others.

    Raises:
        DatabaseUnavailable: PostgreSQL is down, so that nothing could begin.
        NotAllDeleted: PostgreSQL or the object store failed later. The log says for whom.
    """
    async with database.system_session() as session:
        limited = await repository.all_limited(session)
    failures: tuple[type[Exception], ...] = (DatabaseUnavailable, *store_errors())
    total = failed = 0
    for retention in limited:
        log = _log.bind(tenant_id=str(retention.tenant_id), kind=retention.kind)
        done = 0
        try:
            while count := await _delete_batch(database, store_url, retention, now):
                done += count
        except failures as error:
            failed += 1
            log.error("expired_data_not_deleted", error=repr(error))
        if done:
            log.info("expired_data_deleted", calls=done)
        total += done
    if failed:
        raise NotAllDeleted(f"{failed} of {len(limited)} kinds of data")
    return total


async def _delete_batch(
    database: Database, store_url: str, retention: DataRetention, now: datetime
) -> int:
    """Returns the number of calls; 0 if nothing is due."""
    tenant_id, kind = retention.tenant_id, retention.kind
    async with database.system_session() as session:
        # Asked again: there may be many batches, and the tenant may have changed its mind.
        days = (await repository.days_of(session, tenant_id)).get(kind)
        if days is None:
            return 0
        found = await repository.old_calls(
            session,
            tenant_id,
            after=retention.done_until,
            before=now - timedelta(days=days),
            limit=CALLS_AT_ONCE,
        )
        calls = _until_one_is_not_done(found)
        if not calls:
            return 0
        call_ids = [call.id for call in calls]
        recorded: Sequence[UUID] = ()
        if kind == "recordings":
            recorded = await repository.with_recordings(session, tenant_id, call_ids)
    # The objects go first: without its row nobody would find them again. And they go outside the
    # transaction: a store may take longer than it lasts.
    for call_id in recorded:
        await asyncio.to_thread(_delete_objects, store_url, tenant_id, call_id)
    done_until = calls[-1].created_at
    async with database.system_session() as session:
        await _delete_rows(session, tenant_id, kind, call_ids)
        await repository.note_done(
            session, tenant_id, kind, after=retention.done_until, until=done_until
        )
    retention.done_until = done_until
    return len(calls)


def _until_one_is_not_done(calls: list[OldCall]) -> list[OldCall]:
    """A phone call may wait for long. What it leaves behind comes later, so nothing behind it is
    noted as done."""
    for index, call in enumerate(calls):
        if not call.is_done:
            waits_since = call.created_at
            return [each for each in calls[:index] if each.created_at < waits_since]
    return calls


def _delete_objects(store_url: str, tenant_id: UUID, call_id: UUID) -> None:
    delete_objects_of(open_store(store_url), tenant_id, call_id)


async def _delete_rows(
    session: AsyncSession, tenant_id: UUID, kind: Kind, call_ids: Sequence[UUID]
) -> None:
    match kind:
        case "transcripts":
            await call_data.delete_transcripts(session, tenant_id, call_ids)
        case "event_logs":
            await call_data.delete_event_logs(session, tenant_id, call_ids)
            await call_data.delete_outbox_events(session, tenant_id, call_ids)
        case "recordings":
            await call_data.delete_recordings(session, tenant_id, call_ids)
