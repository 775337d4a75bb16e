"""Erases the data of one caller, call after call. Every step can be repeated."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime
from uuid import UUID

import structlog

from control_plane.calling.erasure import call_data_repository as call_data
from control_plane.calling.erasure import repository
from control_plane.calling.erasure.call_objects import delete_objects_of, objects_of
from control_plane.calling.erasure.models import ErasedCall
from control_plane.calling.erasure.proof import proof_of, sha256_of
from control_plane.calling.recordings.object_store import open_store
from control_plane.platform.audit.recording import record_act
from control_plane.platform.database import Database
from control_plane.platform.tenancy.caller import Actor, RequestOrigin

CALLS_AT_ONCE = 20
_log = structlog.get_logger(__name__)


class Erasing:
    """
    Args:
        caller: the number or identity.
    """

    def __init__(
        self, database: Database, store_url: str, tenant_id: UUID, erasure_id: UUID, caller: str
    ) -> None:
        self._database = database
        self._store_url = store_url
        self._tenant_id = tenant_id
        self._erasure_id = erasure_id
        self._caller = caller

    async def erase_calls(self) -> None:
        while True:
            async with self._database.system_session() as session:
                call_ids = await repository.calls_to_erase(
                    session, self._tenant_id, self._caller, CALLS_AT_ONCE
                )
            erased = [await self._erase_call(call_id) for call_id in call_ids]
            if not any(erased):
                return

    async def finish(self) -> int:
        """Write the proof, unless calls are left; returns how many."""
        await self.delete_objects()
        async with self._database.system_session() as session:
            erasure = await repository.locked(session, self._tenant_id, self._erasure_id)
            if erasure is None or erasure.sealed_caller is None:
                return 0
            left = await repository.calls_left(session, self._tenant_id, self._caller)
            if left:
                return left
            recipients = await call_data.forget_recipient(session, self._tenant_id, self._caller)
            calls = await repository.erased_calls(session, self._tenant_id, self._erasure_id)
            now = datetime.now(UTC)
            erasure.proof = proof_of(erasure, calls, recipients, now)
            erasure.proof_sha256 = sha256_of(erasure.proof)
            erasure.status, erasure.completed_at = "completed", now
            erasure.sealed_caller = erasure.waits_for = None
            by = erasure.requested_by
            record_act(
                session,
                self._tenant_id,
                Actor(by["kind"], by["id"] and UUID(by["id"]), by["label"]),
                RequestOrigin(),
                "erasure.completed",
                target_id=self._erasure_id,
                changes={"calls": len(calls), "proof_sha256": erasure.proof_sha256},
            )
        _log.info("caller_erased", erasure_id=str(self._erasure_id), calls=len(calls))
        return 0

    async def note_waiting(self, calls: int) -> None:
        async with self._database.system_session() as session:
            erasure = await repository.locked(session, self._tenant_id, self._erasure_id)
            if erasure is None:
                return
            erasure.waits_for = (
                f"{calls} calls of this caller run, or are still being recorded or analysed"
            )

    async def delete_objects(self) -> None:
        async with self._database.system_session() as session:
            calls = await repository.erased_calls(session, self._tenant_id, self._erasure_id)
        for call in calls:
            await self._delete_objects_of(call.call_id)

    async def _erase_call(self, call_id: UUID) -> bool:
        """Returns ``False`` if something works on the call again. What the store holds is noted
        before it is deleted, so that the proof has it even if this process dies in between."""
        tenant_id = self._tenant_id
        objects = await asyncio.to_thread(
            lambda: objects_of(open_store(self._store_url), tenant_id, call_id)
        )
        now = datetime.now(UTC)
        async with self._database.system_session() as session:
            if not await repository.lock_to_erase(session, tenant_id, call_id):
                return False
            erased = {
                # First, so that the events with a transcript are counted among all of them.
                **await call_data.delete_outbox_events(session, tenant_id, [call_id]),
                **await call_data.delete_transcripts(session, tenant_id, [call_id]),
                **await call_data.delete_event_logs(session, tenant_id, [call_id]),
                **await call_data.delete_recordings(session, tenant_id, [call_id]),
            }
            changed = await call_data.forget_caller(session, tenant_id, call_id, self._caller, now)
            for table, rows in changed.items():
                if rows:
                    erased[table] = {"rows": rows, "sha256": None}
            session.add(
                ErasedCall(
                    erasure_id=self._erasure_id,
                    call_id=call_id,
                    tenant_id=tenant_id,
                    erased_at=now,
                    erased=erased,
                    objects=objects,
                )
            )
        await self._delete_objects_of(call_id)
        return True

    async def _delete_objects_of(self, call_id: UUID) -> None:
        await asyncio.to_thread(
            lambda: delete_objects_of(open_store(self._store_url), self._tenant_id, call_id)
        )
