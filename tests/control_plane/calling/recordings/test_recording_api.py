"""``GET /v1/calls/{call_id}/recording``, from the worker's events to the files."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import obstore
import pytest
from obstore.store import ObjectStore

from contracts.end_reasons import EndReason
from control_plane.calling.calls import repository
from control_plane.calling.calls.ending.call_end import end_call
from control_plane.calling.recordings import tasks
from control_plane.calling.recordings.assembly import Files, assemble_files, part_paths
from control_plane.calling.recordings.repository import delete_recording
from control_plane.calling.recordings.tasks import MOST_ATTEMPTS, fail_recording
from tests.control_plane.calling.recordings.recorded_call import RecordedCall, flac
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import call_of, claimed_call
from tests.control_plane.fake_worker import FakeWorker


def files_of(call: RecordedCall) -> list[Path]:
    """All that the store holds."""
    return [path for path in call.objects.rglob("*") if path.is_file()]


async def test_an_unknown_call_is_404(tenant: TenantClient) -> None:
    answer = await tenant.get(f"/v1/calls/{uuid4()}/recording")
    assert (answer.status_code, answer.json()["code"]) == (404, "call_not_found")


async def test_a_bad_key_is_401_and_a_publishable_key_is_403(tenant: TenantClient) -> None:
    path = f"/v1/calls/{uuid4()}/recording"
    assert (await tenant.http.get(path)).status_code == 401
    page = await tenant.publishable_key()
    assert (await tenant.http.get(path, headers=page)).status_code == 403


async def test_a_call_that_was_not_recorded_has_no_recording(
    tenant: TenantClient, worker: FakeWorker
) -> None:
    plan = await claimed_call(tenant, worker)
    answer = await tenant.get(f"/v1/calls/{plan.call_id}/recording")
    assert (answer.status_code, answer.json()["code"]) == (404, "recording_not_available")
    assert (await call_of(tenant, plan))["recording"] is None


async def test_a_recording_is_processing_until_its_files_are_made(call: RecordedCall) -> None:
    await call.start_recording()
    during = await call.recording()
    assert (during["id"], during["status"]) == (str(call.recording_id), "processing")
    assert during["format"] == "wav"
    assert during["metadata"]["stereo_mix"] is None

    call.store(0, flac(50))
    await call.stop_recording(1000)
    await call.end()
    assert (await call.recording())["status"] == "processing"
    await call.run_jobs()
    after = await call.recording()
    assert after["status"] == "completed"
    assert after["metadata"]["duration_ms"] == 1000
    assert after["metadata"]["detail"] is None


async def test_the_addresses_of_a_completed_recording_expire(call: RecordedCall) -> None:
    metadata = (await call.completed())["metadata"]
    for name, content_type in (("stereo_mix", "audio/wav"), ("stereo_mix_ogg", "audio/ogg")):
        file = metadata[name]
        assert file["content_type"] == content_type
        assert file["signed_url"].startswith(call.settings.public_url + "/v1/recordings/")
        lasts = datetime.fromisoformat(file["expires_at"]) - datetime.now(UTC)
        assert timedelta(minutes=58) < lasts <= timedelta(hours=1)


async def test_the_calls_detail_shows_the_recording(call: RecordedCall) -> None:
    recording = await call.completed()
    shown = (await call_of(call.tenant, call.plan))["recording"]
    assert (shown["id"], shown["status"]) == (recording["id"], "completed")


async def test_the_parts_are_removed_when_the_files_are_there(call: RecordedCall) -> None:
    await call.completed([flac(50), flac(50)])
    assert call.parts == []


async def test_parts_that_go_only_in_part_leave_no_silence_in_the_files(
    call: RecordedCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remove_one_and_fail(store: ObjectStore, folder: str) -> None:
        obstore.delete(store, part_paths(store, folder)[:1])
        raise OSError("the store is away")

    await call.start_recording()
    call.store(0, flac(50))
    call.store(1000, flac(50))
    await call.stop_recording(2000)
    await call.end()
    with monkeypatch.context() as failing:
        failing.setattr(tasks, "remove_parts", remove_one_and_fail)
        await call.run_jobs()
    assert len(call.parts) == 1
    [wav] = call.objects.rglob("*.wav")
    whole = wav.read_bytes()
    await call.make_jobs_due()
    await call.run_jobs()
    assert wav.read_bytes() == whole
    assert call.parts == []


async def test_making_the_files_again_changes_nothing(call: RecordedCall) -> None:
    before = await call.completed()
    async with call.database.system_session() as session:
        from control_plane.calling.recordings.tasks import enqueue_assembly

        await enqueue_assembly(session, call.plan.tenant_id, call.recording_id)
    await call.run_jobs()
    after = await call.recording()
    assert after["status"] == "completed"
    assert after["metadata"]["duration_ms"] == before["metadata"]["duration_ms"]


async def test_what_was_lost_is_said(call: RecordedCall) -> None:
    await call.start_recording()
    call.store(0, flac(50))
    await call.stop_recording(3000, "The store did not take these parts in time: 1.0-3.0 s")
    await call.end()
    await call.run_jobs()
    metadata = (await call.recording())["metadata"]
    assert metadata["detail"] == "The store did not take these parts in time: 1.0-3.0 s"
    assert metadata["duration_ms"] == 3000
    events = (await call_of(call.tenant, call.plan))["events"]
    assert [each["message"] for each in events if each["level"] == "warning"] == [
        "Recording stopped: The store did not take these parts in time: 1.0-3.0 s"
    ]


async def test_a_recording_of_which_nothing_was_stored_has_failed(call: RecordedCall) -> None:
    await call.start_recording()
    await call.end()
    await call.run_jobs()
    shown = await call.recording()
    assert shown["status"] == "failed"
    assert shown["metadata"]["detail"] == "No part of the recording reached the store"


async def test_a_store_that_is_away_is_tried_again(call: RecordedCall) -> None:
    await call.start_recording()
    call.store(0, flac(50))
    await call.stop_recording(1000)
    await call.end()
    call.lose_store()
    await call.run_jobs()
    assert (await call.recording())["status"] == "processing"
    call.return_store()
    await call.make_jobs_due()
    await call.run_jobs()
    assert (await call.recording())["status"] == "completed"


async def test_files_that_can_never_be_made_are_given_up(call: RecordedCall) -> None:
    await call.start_recording()
    call.store(0, b"this is not FLAC")
    await call.stop_recording(1000)
    await call.end()
    for _ in range(MOST_ATTEMPTS):
        await call.run_jobs()
        await call.make_jobs_due()
    assert (await call.recording())["status"] == "processing"
    await call.run_jobs()
    shown = await call.recording()
    assert shown["status"] == "failed"
    assert shown["metadata"]["detail"] == "Making the files of the recording failed too often"


async def test_a_dead_workers_recording_is_what_it_had_stored(call: RecordedCall) -> None:
    await call.start_recording()
    call.store(0, flac(50))
    async with call.database.system_session() as session:
        row = await repository.locked_call(session, call.plan.tenant_id, call.call_id)
        assert row is not None
        await end_call(session, row, EndReason.WORKER_ERROR, 2000, datetime.now(UTC))
    await call.run_jobs()
    shown = await call.recording()
    assert (shown["status"], shown["metadata"]["duration_ms"]) == ("completed", 1000)
    assert len(call.parts) == 1, "the worker may only have been out of reach, and come back"


async def test_what_a_worker_says_after_the_calls_end_still_counts(call: RecordedCall) -> None:
    await call.start_recording()
    call.store(0, flac(50))
    async with call.database.system_session() as session:
        row = await repository.locked_call(session, call.plan.tenant_id, call.call_id)
        assert row is not None
        await end_call(session, row, EndReason.WORKER_ERROR, 2000, datetime.now(UTC))
    await call.run_jobs()
    call.store(1000, flac(50))
    await call.stop_recording(2000)
    await call.run_jobs()
    shown = await call.recording()
    assert (shown["status"], shown["metadata"]["duration_ms"]) == ("completed", 2000)
    assert call.parts == []


async def test_parts_that_nobody_claimed_to_be_the_last_go_a_day_later(
    call: RecordedCall,
) -> None:
    await call.start_recording()
    call.store(0, flac(50))
    await call.end()
    await call.run_jobs()
    assert len(call.parts) == 1
    await call.run_jobs()
    assert len(call.parts) == 1
    await call.make_jobs_due()
    await call.run_jobs()
    assert call.parts == []


async def test_a_recording_fails_if_the_job_that_makes_its_files_is_given_up(
    call: RecordedCall,
) -> None:
    await call.start_recording()
    await call.end()
    ids = {"tenant_id": str(call.plan.tenant_id), "recording_id": str(call.recording_id)}
    await fail_recording(call.database, **ids)
    shown = await call.recording()
    assert shown["status"] == "failed"
    assert "failed too often" in shown["metadata"]["detail"]


async def test_what_was_recorded_before_a_caller_refused_is_deleted(call: RecordedCall) -> None:
    await call.start_recording()
    call.store(0, flac(50))
    await call.refuse_recording()
    await call.run_jobs()
    assert call.parts == []
    answer = await call.tenant.get(f"/v1/calls/{call.call_id}/recording")
    assert (answer.status_code, answer.json()["code"]) == (404, "recording_not_available")

    call.store(1000, flac(50))  # It was on its way when the caller refused.
    await call.end()
    await call.make_jobs_due()
    await call.run_jobs()
    assert call.parts == []
    shown = await call_of(call.tenant, call.plan)
    assert shown["recording"] is None
    events = (await call.tenant.get(f"/v1/calls/{call.call_id}/events")).json()["events"]
    assert "Recording stopped and deleted: a caller did not agree to be recorded" in [
        event["message"] for event in events
    ]


async def test_files_that_were_made_before_a_refusal_arrived_are_deleted(
    call: RecordedCall,
) -> None:
    await call.start_recording()
    call.store(0, flac(50))
    async with call.database.system_session() as session:
        row = await repository.locked_call(session, call.plan.tenant_id, call.call_id)
        assert row is not None
        await end_call(session, row, EndReason.WORKER_ERROR, 2000, datetime.now(UTC))
    await call.run_jobs()
    assert len(files_of(call)) == 3
    await call.refuse_recording()
    await call.run_jobs()
    assert files_of(call) == []


async def test_nothing_is_left_of_a_recording_that_is_deleted_while_its_files_are_made(
    call: RecordedCall, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()

    async def delete_row() -> None:
        async with call.database.system_session() as session:
            await delete_recording(session, call.plan.tenant_id, call.recording_id)

    def assemble_and_lose_row(*arguments: Any) -> Files:
        files = assemble_files(*arguments)
        asyncio.run_coroutine_threadsafe(delete_row(), loop).result()
        return files

    monkeypatch.setattr(tasks, "assemble_files", assemble_and_lose_row)
    await call.start_recording()
    call.store(0, flac(50))
    await call.end()
    await call.run_jobs()
    assert files_of(call) == []


async def test_a_store_that_is_away_delays_the_deletion_of_what_was_refused(
    call: RecordedCall,
) -> None:
    await call.start_recording()
    call.store(0, flac(50))
    await call.refuse_recording()
    call.lose_store()
    await call.run_jobs()
    call.return_store()
    await call.make_jobs_due()
    await call.run_jobs()
    assert call.parts == []
