"""``/v1/data-retention``, and the job that deletes what is too old."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, text
from sqlalchemy.ext.asyncio import AsyncSession
from structlog.testing import capture_logs

from contracts.events import SlotsCollected, TranscriptSegment
from control_plane.calling.erasure.call_objects import delete_objects_of
from control_plane.calling.retention import expiry, repository
from control_plane.calling.retention.expiry import NotAllDeleted, delete_expired
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.job_queue import PATIENT_QUEUE, job_queue, job_resources
from control_plane.platform.outbox.models import OutboxEvent
from tests.control_plane.calling.recordings.recorded_call import RecordedCall, flac
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import catch_up

KEPT = {
    "recording_retention_days": None,
    "transcript_retention_days": None,
    "event_log_retention_days": None,
}
SEGMENT = TranscriptSegment(
    sequence=0, speaker="user", text="Hello", started_at_ms=0, ended_at_ms=900, interrupted=False
)


async def keep(tenant: TenantClient, **days: int | None) -> None:
    answer = await tenant.request("PATCH", "/v1/data-retention", json=days)
    assert answer.status_code == 200, answer.text


async def days_later(call: RecordedCall, days: float) -> int:
    now = datetime.now(UTC) + timedelta(days=days)
    return await delete_expired(call.database, call.settings.object_store_url, now)


async def left_of(call: RecordedCall) -> dict[str, bool]:
    path = f"/v1/calls/{call.call_id}"
    shown = (await call.tenant.get(path)).json()
    return {
        "transcript": "Hello" in str(shown) or bool(shown["collected_slots"]),
        "events": bool((await call.tenant.get(f"{path}/events")).json()["events"]),
        "recording": (await call.tenant.get(f"{path}/recording")).status_code == 200,
        "files": bool([*call.objects.rglob("*.wav")]),
    }


EVERYTHING = {"transcript": True, "events": True, "recording": True, "files": True}


@pytest.fixture
async def talked(call: RecordedCall) -> RecordedCall:
    await call.worker.ship(call.plan, SEGMENT, SlotsCollected(slots={"name": "Ada"}))
    await call.completed()
    return call


async def test_everything_is_kept_until_the_tenant_says_otherwise(talked: RecordedCall) -> None:
    assert (await talked.tenant.get("/v1/data-retention")).json() == KEPT
    assert await days_later(talked, 10_000) == 0
    assert await left_of(talked) == EVERYTHING


@pytest.mark.parametrize(
    ("setting", "gone"),
    [
        ("recording_retention_days", {"recording", "files"}),
        ("transcript_retention_days", {"transcript"}),
        ("event_log_retention_days", {"events"}),
    ],
)
async def test_each_kind_is_deleted_after_its_own_days(
    talked: RecordedCall, setting: str, gone: set[str]
) -> None:
    await keep(talked.tenant, **{setting: 7})
    assert await days_later(talked, 6.9) == 0
    assert await left_of(talked) == EVERYTHING
    assert await days_later(talked, 7.1) == 1
    assert await left_of(talked) == {name: name not in gone for name in EVERYTHING}
    assert await days_later(talked, 7.1) == 0


async def test_a_webhook_event_does_not_keep_the_transcript(
    talked: RecordedCall, database: Database
) -> None:
    async def holding() -> Any:
        async with database.system_session() as session:
            return await session.scalar(
                text("SELECT count(*) FROM outbox_events WHERE data::text LIKE '%Hello%'")
            )

    async with database.system_session() as session:
        await session.execute(
            text(
                "INSERT INTO outbox_events (id, tenant_id, event, data) VALUES (:id, :tenant,"
                " 'call.completed', jsonb_build_object('call_id', CAST(:call AS text),"
                " 'transcript', 'Hello'))"
            ),
            {"id": uuid4(), "tenant": talked.tenant.tenant_id, "call": str(talked.call_id)},
        )
    assert await holding() >= 1
    await keep(talked.tenant, transcript_retention_days=1)
    await days_later(talked, 2)
    assert await holding() == 0


async def test_an_analysis_whose_transcript_is_deleted_ends_and_its_event_is_sent(
    talked: RecordedCall, database: Database
) -> None:
    """Such as that of a phone call that waited longer than its transcript may be kept."""
    await keep(talked.tenant, transcript_retention_days=1)
    assert await days_later(talked, 2) == 1
    await job_queue.run_worker_async(
        queues=[PATIENT_QUEUE],
        wait=False,
        install_signal_handlers=False,
        additional_context=job_resources(talked.database, talked.settings),
    )
    shown = (await talked.tenant.get(f"/v1/calls/{talked.call_id}")).json()
    assert shown["intelligence"]["status"] == "skipped"
    async with database.system_session() as session:
        told = await session.scalars(
            select(OutboxEvent.event).where(
                OutboxEvent.data["call_id"].astext == str(talked.call_id),
                OutboxEvent.event != "call.started",
            )
        )
    assert told.all() == ["call.completed"]


async def test_calls_are_deleted_in_small_batches_and_none_is_left_out(
    talked: RecordedCall, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(expiry, "CALLS_AT_ONCE", 2)
    async with database.system_session() as session:
        for seconds in (0, 1, 1, 1, 2):  # three at one moment: more than one batch
            await session.execute(
                text(
                    "INSERT INTO calls (id, tenant_id, agent_id, room_name, status, end_reason,"
                    " ended_at, created_at, plan, collected_slots) SELECT gen_random_uuid(),"
                    " tenant_id, agent_id, room_name, status, end_reason, ended_at,"
                    " created_at - interval '1 hour' + :seconds * interval '1 second', plan,"
                    " collected_slots FROM calls WHERE id = :like"
                ),
                {"like": talked.call_id, "seconds": seconds},
            )
    await keep(talked.tenant, transcript_retention_days=1)
    assert await days_later(talked, 2) == 6
    async with database.system_session() as session:
        assert not await session.scalar(
            text("SELECT count(*) FROM calls WHERE collected_slots <> '{}'")
        )


async def test_a_tenant_that_changes_its_mind_while_data_is_deleted_keeps_the_rest(
    talked: RecordedCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    all_limited = repository.all_limited

    async def then_changed(session: AsyncSession) -> Any:
        found = await all_limited(session)
        await keep(talked.tenant, transcript_retention_days=None, recording_retention_days=7)
        return found

    await keep(talked.tenant, transcript_retention_days=1, recording_retention_days=1)
    monkeypatch.setattr(repository, "all_limited", then_changed)
    assert await days_later(talked, 2) == 0
    assert await left_of(talked) == EVERYTHING


async def test_no_transaction_waits_for_the_object_store(
    talked: RecordedCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_while_deleting = []
    transactions = 0
    system_session = Database.system_session

    @asynccontextmanager
    async def counted(database: Database) -> AsyncIterator[AsyncSession]:
        nonlocal transactions
        transactions += 1
        async with system_session(database) as session:
            yield session
        transactions -= 1

    def noted(*call: Any) -> int:
        open_while_deleting.append(transactions)
        return delete_objects_of(*call)

    monkeypatch.setattr(Database, "system_session", counted)
    monkeypatch.setattr(expiry, "delete_objects_of", noted)
    await keep(talked.tenant, recording_retention_days=1)
    assert await days_later(talked, 2) == 1
    assert open_while_deleting == [0]
    assert not (await left_of(talked))["files"]


async def test_a_store_that_is_away_stops_only_what_needs_it_and_is_told(
    talked: RecordedCall,
) -> None:
    await keep(talked.tenant, recording_retention_days=1, transcript_retention_days=1)
    talked.lose_store()
    with capture_logs() as logged, pytest.raises(NotAllDeleted):
        await days_later(talked, 2)
    talked.return_store()
    assert await left_of(talked) == EVERYTHING | {"transcript": False}
    [told] = [each for each in logged if each["log_level"] == "error"]
    assert (told["tenant_id"], told["kind"]) == (str(talked.tenant.tenant_id), "recordings")
    assert await days_later(talked, 2) == 1
    assert not (await left_of(talked))["recording"]


async def test_a_tenant_whose_transaction_fails_does_not_stop_the_others(
    talked: RecordedCall, other_tenant: TenantClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: set[UUID] = set()
    old_calls = repository.old_calls

    async def first_fails(session: AsyncSession, tenant_id: UUID, **which: Any) -> Any:
        asked.add(tenant_id)
        if len(asked) == 1:
            raise DatabaseUnavailable
        return await old_calls(session, tenant_id, **which)

    monkeypatch.setattr(repository, "old_calls", first_fails)
    tenants = (talked.tenant, other_tenant)
    for tenant in tenants:
        await keep(tenant, transcript_retention_days=1)
    with pytest.raises(NotAllDeleted):
        await days_later(talked, 2)
    assert asked == {tenant.tenant_id for tenant in tenants}


async def test_a_call_that_is_not_over_is_waited_for(call: RecordedCall) -> None:
    await keep(call.tenant, transcript_retention_days=1)
    assert await days_later(call, 2) == 0
    await call.worker.ship(call.plan, SEGMENT)
    await call.end()
    assert await days_later(call, 2) == 1
    assert not (await left_of(call))["transcript"]


async def test_what_a_worker_reports_after_that_is_deleted_as_well(
    talked: RecordedCall, database: Database
) -> None:
    """Such as one whose machine was away for days."""
    await keep(talked.tenant, transcript_retention_days=1)
    async with database.system_session() as session:
        await session.execute(text("UPDATE calls SET created_at = now() - interval '2 days'"))
    assert await days_later(talked, 0) == 1
    await talked.worker.ship(talked.plan, SEGMENT.model_copy(update={"sequence": 1}))
    await catch_up(talked.consumer)
    assert (await left_of(talked))["transcript"]
    assert await days_later(talked, 0) == 1
    assert not (await left_of(talked))["transcript"]
    assert await days_later(talked, 0) == 0


async def test_a_recording_that_is_still_being_made_is_waited_for(call: RecordedCall) -> None:
    await keep(call.tenant, recording_retention_days=1)
    await call.start_recording()
    call.store(0, flac(50))
    await call.stop_recording(1000)
    await call.end()
    assert await days_later(call, 2) == 0
    await call.run_jobs()
    assert (await left_of(call))["files"]
    assert await days_later(call, 2) == 1
    assert not (await left_of(call))["files"]


async def test_another_tenants_data_stays(talked: RecordedCall, other_tenant: TenantClient) -> None:
    await keep(other_tenant, transcript_retention_days=1, recording_retention_days=1)
    assert await days_later(talked, 2) == 0
    assert await left_of(talked) == EVERYTHING


async def test_a_change_is_audited_and_leaves_the_other_kinds_alone(tenant: TenantClient) -> None:
    await keep(tenant, recording_retention_days=30, transcript_retention_days=90)
    await keep(tenant, recording_retention_days=None)
    await keep(tenant, transcript_retention_days=90)
    shown = (await tenant.get("/v1/data-retention")).json()
    assert shown == KEPT | {"transcript_retention_days": 90}
    entries = (await tenant.get("/v1/audit-log?action=data_retention")).json()["entries"]
    assert [entry["changes"] for entry in entries] == [
        {"recording_retention_days": [30, None]},
        {"recording_retention_days": [None, 30], "transcript_retention_days": [None, 90]},
    ]


@pytest.mark.parametrize("days", [0, -1, 1.5, "30", True, 36_501])
async def test_days_are_a_whole_number_of_at_least_one(tenant: TenantClient, days: object) -> None:
    answer = await tenant.request(
        "PATCH", "/v1/data-retention", json={"recording_retention_days": days}
    )
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == "recording_retention_days"
