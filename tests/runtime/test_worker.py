"""A worker on a real Valkey, carrying calls with fake rooms and conversations."""

from __future__ import annotations

import asyncio
import errno
import json
import time
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from contracts import redis_names
from contracts.call_plan import CallPlan
from contracts.call_status import Transport
from contracts.commands import (
    CommandRefused,
    EndCall,
    ExtendFunds,
    LegAnswered,
    RemoveLeg,
)
from contracts.end_reasons import EndReason
from contracts.events import CallEnded, CallMetered, CallStarted, RoomOpened
from contracts.heartbeat import CallMedia
from runtime.call.call import Call
from runtime.call.funds import NOT_EXTENDED
from runtime.journal.folder_lock import JournalsInUse
from runtime.journal.journal import Journal
from runtime.journal.space import PROBE
from runtime.journal.store import JournalStore
from runtime.link.dispatch import RECLAIM_IDLE_MS, dispatch_group
from runtime.link.redis_client import BLOCK_MS
from runtime.link.worker_identity import WorkerIdentity, WorkerIdInUse
from runtime.running_calls import RunningCalls
from tests.runtime.control_plane import ControlPlane
from tests.runtime.fakes import CALLER, call_plan
from tests.runtime.until import until
from tests.runtime.working import Running, working


@pytest.fixture
async def control_plane(valkey_url: str) -> AsyncIterator[ControlPlane]:
    async with Redis.from_url(valkey_url, decode_responses=True) as redis:
        yield ControlPlane(redis)


async def test_a_call_from_dispatch_to_its_last_event(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    plan = call_plan()
    async with working(valkey_url, tmp_path) as running:
        await control_plane.dispatch(plan)
        await until(lambda: control_plane.has(plan.call_id, "room.opened"))
        assert await control_plane.pending() == 0
        assert await control_plane.redis.get(redis_names.call_lease(plan.call_id)) == "w1"
        reply = await control_plane.offer("w1", plan.call_id)
        assert reply.body == LegAnswered(sdp="answer to offer")
        await until(lambda: control_plane.has(plan.call_id, "call.started"))
        await control_plane.command("w1", plan.call_id, RemoveLeg(participant_id=CALLER))
        await until(lambda: control_plane.has(plan.call_id, "call.ended"))
    events = await control_plane.events(plan.call_id)
    assert [each.seq for each in events] == list(range(1, len(events) + 1))
    assert isinstance(events[-1].body, CallEnded)
    assert events[-1].body.end_reason is EndReason.PARTICIPANT_DISCONNECTED
    assert running.media.closed


async def test_heartbeats_name_the_worker_its_slots_and_the_position_of_its_calls(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    plan = call_plan()
    async with working(valkey_url, tmp_path, slots=3):
        await until(lambda: control_plane.is_in("w1", "ready"))
        await control_plane.dispatch(plan)
        await until(lambda: control_plane.has(plan.call_id, "room.opened"))
        await control_plane.offer("w1", plan.call_id)

        async def is_metered() -> bool:
            document = await control_plane.redis.hget(redis_names.MEDIA, str(plan.call_id))
            return bool(document) and bool(CallMedia.model_validate_json(document).connected_ms)

        await until(is_metered)
        heartbeat = await control_plane.heartbeat("w1")
        assert heartbeat is not None
        assert (heartbeat.slots_total, heartbeat.slots_used) == (3, 1)
        assert await control_plane.redis.sismember(redis_names.WORKERS, "w1")
    assert await control_plane.heartbeat("w1") is None
    assert not await control_plane.redis.sismember(redis_names.WORKERS, "w1")


async def test_a_full_worker_leaves_calls_in_the_stream(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    first, second = call_plan(), call_plan()
    async with working(valkey_url, tmp_path, slots=1) as running:
        await control_plane.dispatch(first)
        await control_plane.dispatch(second)
        await until(lambda: control_plane.has(first.call_id, "room.opened"))
        await control_plane.offer("w1", first.call_id)
        assert list(running.media.rooms) == [first.call_id]
        await control_plane.command(
            "w1", first.call_id, EndCall(end_reason=EndReason.NORMAL_HANGUP)
        )
        await until(lambda: control_plane.has(second.call_id, "room.opened"))
    ended = (await control_plane.events(first.call_id))[-1]
    opened = (await control_plane.events(second.call_id))[0]
    assert isinstance(ended.body, CallEnded)
    assert isinstance(opened.body, RoomOpened)
    assert ended.occurred_at <= opened.occurred_at


async def test_calls_that_nobody_joins_keep_no_other_call_out(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("runtime.slots.RESERVED_SECONDS", 0.05)
    async with working(valkey_url, tmp_path, slots=1):
        for _ in range(4):
            await control_plane.dispatch(call_plan())
        other = call_plan()
        await control_plane.dispatch(other)
        await until(lambda: control_plane.has(other.call_id, "room.opened"))
        reply = await control_plane.offer("w1", other.call_id)
        assert isinstance(reply.body, LegAnswered)


async def test_an_offer_that_finds_no_slot_is_refused_and_may_come_again(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("runtime.slots.RESERVED_SECONDS", 0.05)
    first, second = call_plan(), call_plan()
    async with working(valkey_url, tmp_path, slots=1):
        for plan in (first, second):
            await control_plane.dispatch(plan)
            await until(partial(control_plane.has, plan.call_id, "room.opened"))
        await control_plane.offer("w1", second.call_id)
        refused = (await control_plane.offer("w1", first.call_id)).body
        assert isinstance(refused, CommandRefused)
        assert refused.code == "no_free_slot"
        await control_plane.command("w1", second.call_id, RemoveLeg(participant_id=CALLER))
        await until(lambda: control_plane.has(second.call_id, "call.ended"))

        async def is_answered() -> bool:
            return isinstance((await control_plane.offer("w1", first.call_id)).body, LegAnswered)

        await until(is_answered)


async def test_a_phone_that_rings_takes_a_slot_at_once(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("runtime.slots.RESERVED_SECONDS", 0.0)
    plan = call_plan()
    phone = plan.participants[0].model_copy(update={"transport": Transport.PSTN})
    async with working(valkey_url, tmp_path, slots=1):
        await control_plane.dispatch(plan.model_copy(update={"participants": (phone,)}))
        lease = redis_names.call_lease(plan.call_id)
        await until(lambda: control_plane.redis.exists(lease))
        opened_at = datetime.now(UTC)

        async def has_beaten() -> bool:
            heartbeat = await control_plane.heartbeat("w1")
            return heartbeat is not None and heartbeat.sent_at > opened_at

        await until(has_beaten)
        heartbeat = await control_plane.heartbeat("w1")
        assert heartbeat is not None
        assert heartbeat.slots_used == 1


async def test_a_worker_whose_journals_are_too_large_says_so_and_takes_no_calls(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    kept = tmp_path / "journal" / "what nobody could read.unreadable"
    kept.parent.mkdir()
    kept.write_bytes(b"x" * 1_000_000)
    plan = call_plan()
    async with working(valkey_url, tmp_path, slots=3, journal_limit_mb=1):

        async def is_full() -> bool:
            heartbeat = await control_plane.heartbeat("w1")
            return heartbeat is not None and heartbeat.journals_are_full

        await until(is_full)
        heartbeat = await control_plane.heartbeat("w1")
        assert heartbeat is not None
        assert (heartbeat.slots_total, heartbeat.slots_used) == (0, 0), "no capacity"
        assert heartbeat.journal_bytes == 1_000_000
        await until(lambda: control_plane.is_in("w1", "ready"))
        await control_plane.dispatch(plan)
        kept.unlink()
        await until(lambda: control_plane.has(plan.call_id, "room.opened"))
        heartbeat = await control_plane.heartbeat("w1")
        assert heartbeat is not None
        assert heartbeat.slots_used in (0, 1)


async def test_a_worker_whose_frames_are_late_says_so_and_takes_no_calls_until_they_are_not(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    first, second = call_plan(), call_plan()
    late_seconds = 0.05

    async def play_frames(running: Running) -> None:
        assert running.media.frame_was_late is not None
        while True:
            running.media.frame_was_late(late_seconds)
            await asyncio.sleep(0.005)

    async def is_full() -> bool:
        heartbeat = await control_plane.heartbeat("w1")
        return heartbeat is not None and heartbeat.claims_nothing_because == "frames_late"

    async def is_open() -> bool:
        heartbeat = await control_plane.heartbeat("w1")
        return heartbeat is not None and heartbeat.claims_nothing_because is None

    async with working(valkey_url, tmp_path, slots=3) as running:
        await control_plane.dispatch(first)
        await until(lambda: control_plane.has(first.call_id, "room.opened"))
        reply = await control_plane.offer("w1", first.call_id)
        assert isinstance(reply.body, LegAnswered)
        playing = asyncio.create_task(play_frames(running))
        await until(is_full)
        heartbeat = await control_plane.heartbeat("w1")
        assert heartbeat is not None
        assert (heartbeat.slots_total, heartbeat.slots_used) == (1, 1), "no capacity"
        full_at = heartbeat.sent_at

        async def no_read_is_under_way() -> bool:
            heartbeat = await control_plane.heartbeat("w1")
            waited = timedelta(milliseconds=BLOCK_MS) + timedelta(seconds=0.5)
            return heartbeat is not None and heartbeat.sent_at - full_at > waited

        await until(no_read_is_under_way)
        await control_plane.dispatch(second)
        again = await control_plane.heartbeat("w1")
        assert again is not None
        assert again.claims_nothing_seconds >= 1.0
        await asyncio.sleep(0.5)
        assert list(running.media.rooms) == [first.call_id]
        late_seconds = 0.001
        await until(lambda: control_plane.has(second.call_id, "room.opened"))
        await until(is_open)
        playing.cancel()


async def test_a_draining_worker_claims_nothing_and_ends_its_calls_in_time(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    first, second = call_plan(), call_plan()
    async with working(valkey_url, tmp_path, drain_seconds=1.5) as running:
        await control_plane.dispatch(first)
        await until(lambda: control_plane.has(first.call_id, "room.opened"))
        await control_plane.offer("w1", first.call_id)
        running.stop.set()
        await until(lambda: control_plane.is_in("w1", "draining"))
        await control_plane.dispatch(second)
        assert not await control_plane.has(first.call_id, "call.ended")
        await running.task
    events = await control_plane.events(first.call_id)
    assert isinstance(events[-1].body, CallEnded)
    assert events[-1].body.end_reason is EndReason.SERVER_SHUTDOWN
    assert list(running.media.rooms) == [first.call_id]


async def test_an_offer_that_has_expired_is_not_carried(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    stale, fresh = call_plan(), call_plan()
    async with working(valkey_url, tmp_path) as running:
        await control_plane.dispatch(stale, offered_at=datetime.now(UTC) - timedelta(seconds=31))
        await control_plane.dispatch(fresh)
        await until(lambda: control_plane.has(fresh.call_id, "room.opened"))
        assert list(running.media.rooms) == [fresh.call_id]
        assert await control_plane.pending() == 0


@pytest.mark.parametrize("rang_seconds", [40, 600])
async def test_a_phone_answered_long_after_its_call_was_made_gets_its_agent(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, rang_seconds: int
):
    plan = call_plan(created_at=datetime.now(UTC) - timedelta(seconds=rang_seconds))
    async with working(valkey_url, tmp_path):
        await control_plane.dispatch(plan)
        await until(lambda: control_plane.has(plan.call_id, "room.opened"))


async def test_a_plan_with_a_field_of_a_later_release_is_carried(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    plan = call_plan()
    later = json.loads(plan.model_dump_json()) | {"mood": "sunny"}
    later["agent"]["persona"]["shoe_size"] = 43
    async with working(valkey_url, tmp_path):
        await control_plane.dispatch_document(plan, json.dumps(later))
        await until(lambda: control_plane.has(plan.call_id, "room.opened"))


async def test_a_plan_of_release_0_1_which_offered_it_without_a_header_is_carried(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    plan = call_plan(created_at=datetime.now(UTC) - timedelta(seconds=40))
    async with working(valkey_url, tmp_path):
        await control_plane.redis.xadd(
            redis_names.DISPATCH_STREAM, {redis_names.FIELD: plan.model_dump_json()}
        )
        await until(lambda: control_plane.has(plan.call_id, "room.opened"))


async def test_a_worker_whose_disk_takes_no_journal_leaves_calls_to_the_others(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
):
    async def refuse(*_: object) -> Journal:
        raise OSError(errno.EROFS, "read-only file system")

    monkeypatch.setattr(Journal, "create", refuse)

    async def claims_nothing() -> bool:
        heartbeat = await control_plane.heartbeat("w1")
        return heartbeat is not None and heartbeat.claims_nothing_because == "journals_full"

    async with working(valkey_url, tmp_path):
        (tmp_path / "journal" / PROBE).mkdir()
        await control_plane.dispatch(call_plan())
        await until(claims_nothing)
        assert await control_plane.pending() == 1, "another worker will get it"


async def test_an_offer_that_a_worker_cannot_read_is_left_to_the_others(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("runtime.link.dispatch.RECLAIM_EVERY_SECONDS", 0.0)
    foreign, readable, later = call_plan(), call_plan(), call_plan()
    document = json.dumps(json.loads(foreign.model_dump_json()) | {"version": 2})
    with capture_logs() as log:
        async with working(valkey_url, tmp_path):
            await control_plane.dispatch_document(foreign, document)
            await control_plane.dispatch(readable)
            await until(lambda: control_plane.has(readable.call_id, "room.opened"))
            other = dispatch_group(control_plane.redis, "a worker of a later release")
            entry = await other.take_over(RECLAIM_IDLE_MS, besides=())
            assert entry is not None, "another worker can have it at once"
            assert json.loads(entry.document)["call_id"] == str(foreign.call_id)
            await other.release([entry], RECLAIM_IDLE_MS)
            await control_plane.dispatch(later)
            await until(lambda: control_plane.has(later.call_id, "room.opened"))

            async def is_counted() -> bool:
                heartbeat = await control_plane.heartbeat("w1")
                return heartbeat is not None and heartbeat.unreadable_offers == 1

            await until(is_counted)
    assert [each["call_id"] for each in log if each["event"] == "dispatch.unreadable"] == [
        str(foreign.call_id)
    ]
    assert await control_plane.redis.xlen(redis_names.DISPATCH_STREAM) == 1


async def test_a_plan_dispatched_twice_is_carried_once(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    plan, last = call_plan(), call_plan()
    async with working(valkey_url, tmp_path, slots=3) as running:
        await control_plane.dispatch(plan)
        await control_plane.dispatch(plan)
        await control_plane.dispatch(last)
        for call_id in (plan.call_id, last.call_id):
            await until(partial(control_plane.has, call_id, "room.opened"))
        assert sorted(running.media.rooms) == sorted([plan.call_id, last.call_id])
        assert len(await control_plane.events(plan.call_id)) == 1


async def test_garbage_in_the_streams_harms_nothing(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    plan = call_plan()
    async with working(valkey_url, tmp_path):
        await until(lambda: control_plane.is_in("w1", "ready"))
        for stream in (redis_names.DISPATCH_STREAM, redis_names.worker_commands("w1")):
            await control_plane.redis.xadd(stream, {redis_names.FIELD: "{"})
            await control_plane.redis.xadd(stream, {"other": "field"})
        await control_plane.dispatch(plan)
        await until(lambda: control_plane.has(plan.call_id, "room.opened"))
        assert (await control_plane.offer("w1", plan.call_id)).body.type == "leg.answered"
        assert await control_plane.pending() == 2, "the control plane removes it in time"


async def test_an_offer_that_comes_between_lease_and_journal_waits_for_its_call(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
):
    plan = call_plan()
    create, wait_for = JournalStore.create, RunningCalls.wait_for
    offer_waits = asyncio.Event()

    async def create_after_the_offer(store: JournalStore, plan: CallPlan) -> Journal:
        async with asyncio.timeout(5):
            await offer_waits.wait()
        return await create(store, plan)

    async def wait(calls: RunningCalls, call_id: UUID, within_seconds: float) -> Call | None:
        offer_waits.set()
        return await wait_for(calls, call_id, within_seconds)

    monkeypatch.setattr(JournalStore, "create", create_after_the_offer)
    monkeypatch.setattr(RunningCalls, "wait_for", wait)
    async with working(valkey_url, tmp_path):
        await control_plane.dispatch(plan)
        lease = redis_names.call_lease(plan.call_id)
        await until(lambda: control_plane.redis.exists(lease))
        reply = await control_plane.offer("w1", plan.call_id)
    assert reply.body == LegAnswered(sdp="answer to offer")


async def test_an_offer_that_fails_for_a_reason_that_nobody_foresaw_is_refused_at_once(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    async def fail(*_: object) -> str:
        raise OSError(errno.EMFILE, "too many open files")

    plan = call_plan()
    async with working(valkey_url, tmp_path) as running:
        await control_plane.dispatch(plan)
        await until(lambda: control_plane.has(plan.call_id, "room.opened"))
        running.media.rooms[plan.call_id].answer_offer = fail
        reply = await control_plane.offer("w1", plan.call_id)
        await until(lambda: control_plane.has(plan.call_id, "call.ended"))
    assert isinstance(reply.body, CommandRefused)
    assert reply.body.code == "room_closed"
    ended = (await control_plane.events(plan.call_id))[-1].body
    assert isinstance(ended, CallEnded)
    assert ended.end_reason is EndReason.SESSION_ERROR


async def test_a_call_that_fails_while_it_is_closed_has_ended_and_no_other_has(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
):
    def fail(_: object) -> None:
        raise ZeroDivisionError

    plan, other = call_plan(), call_plan()
    async with working(valkey_url, tmp_path):
        for each in (plan, other):
            await control_plane.dispatch(each)
            await until(partial(control_plane.has, each.call_id, "room.opened"))
        with monkeypatch.context() as patched:
            patched.setattr("runtime.call.call.Presence.over", fail)
            await control_plane.command("w1", plan.call_id, EndCall(end_reason=EndReason.CANCELED))
            await until(lambda: control_plane.has(plan.call_id, "call.ended"))
        assert not await control_plane.has(other.call_id, "call.ended")
    ended = (await control_plane.events(plan.call_id))[-1].body
    assert isinstance(ended, CallEnded)
    assert ended.end_reason is EndReason.WORKER_ERROR
    assert ended.detail == "the worker failed with ZeroDivisionError"


async def test_an_offer_for_a_call_that_is_not_here_is_refused(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("runtime.link.commands.ARRIVAL_SECONDS", 0.1)
    async with working(valkey_url, tmp_path):
        await until(lambda: control_plane.is_in("w1", "ready"))
        reply = await control_plane.offer("w1", uuid4())
    assert isinstance(reply.body, CommandRefused)
    assert reply.body.code == "call_not_here"


async def test_a_dead_workers_claim_is_taken_over(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("runtime.link.dispatch.RECLAIM_IDLE_MS", 100)
    plan = call_plan()
    await control_plane.redis.xgroup_create(
        redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP, id="0", mkstream=True
    )
    await control_plane.dispatch(plan)
    await control_plane.redis.xreadgroup(
        redis_names.DISPATCH_GROUP, "dead", {redis_names.DISPATCH_STREAM: ">"}, count=1
    )
    async with working(valkey_url, tmp_path):
        await until(lambda: control_plane.has(plan.call_id, "room.opened"))
        assert await control_plane.pending() == 0


async def test_calls_of_a_dead_predecessor_end_at_the_last_second_known(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    talking, unopened, ended = call_plan(), call_plan(), call_plan()
    store = JournalStore(tmp_path, "w1")
    journal = await store.create(talking)
    for body in (
        RoomOpened(),
        CallStarted(participant_id=CALLER),
        CallMetered(connected_ms=5000),
    ):
        journal.append(body)
    await journal.aclose()
    await (await store.create(unopened)).aclose()
    journal = await store.create(ended)
    journal.append(CallEnded(end_reason=EndReason.NORMAL_HANGUP, connected_ms=7))
    await journal.aclose()
    store.close()
    media = CallMedia(
        call_id=talking.call_id,
        tenant_id=talking.tenant_id,
        worker_id="w1",
        connected_ms=8200,
        sent_at=datetime.now(UTC),
    )
    await control_plane.redis.hset(redis_names.MEDIA, str(talking.call_id), media.model_dump_json())
    async with working(valkey_url, tmp_path):
        await until(lambda: control_plane.has(talking.call_id, "call.ended"))
        await until(lambda: control_plane.has(ended.call_id, "call.ended"))
    last = (await control_plane.events(talking.call_id))[-1]
    assert last.seq == 4
    assert isinstance(last.body, CallEnded)
    assert (last.body.end_reason, last.body.connected_ms) == (EndReason.WORKER_ERROR, 8200)
    assert len(await control_plane.events(ended.call_id)) == 1
    assert await control_plane.events(unopened.call_id) == []


async def test_calls_of_a_dead_worker_with_another_id_end_too(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    plan = call_plan()
    store = JournalStore(tmp_path / "worker-1", "worker-1")
    journal = await store.create(plan)
    journal.append(RoomOpened())
    journal.append(CallStarted(participant_id=CALLER))
    await journal.aclose()
    store.close()
    async with working(valkey_url, tmp_path / "w1", workers_dir=tmp_path):
        await until(lambda: control_plane.has(plan.call_id, "call.ended"))
    events = await control_plane.events(plan.call_id)
    assert [each.seq for each in events] == [1, 2, 3]
    assert [each.worker_id for each in events] == ["worker-1", "worker-1", "w1"]


async def test_one_worker_per_data_directory(valkey_url: str, tmp_path: Path):
    async with working(valkey_url, tmp_path):
        with pytest.raises(JournalsInUse):
            JournalStore(tmp_path, "w2")


async def test_a_cancelled_worker_ends_its_calls_at_once(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    plan = call_plan()
    async with working(valkey_url, tmp_path, drain_seconds=60) as running:
        await control_plane.dispatch(plan)
        await until(lambda: control_plane.has(plan.call_id, "room.opened"))
        await control_plane.offer("w1", plan.call_id)
        await until(lambda: control_plane.has(plan.call_id, "call.started"))
        running.task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running.task
        running.task = asyncio.create_task(asyncio.sleep(0))
    events = await control_plane.events(plan.call_id)
    assert isinstance(events[-1].body, CallEnded)
    assert events[-1].body.end_reason is EndReason.SERVER_SHUTDOWN


async def test_two_workers_with_one_id_refuse(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("runtime.link.worker_identity.RETRY_SECONDS", 0.05)
    # Longer than a heartbeat's interval, so that the first one's claim does not lapse.
    monkeypatch.setattr("contracts.redis_names.HEARTBEAT_TTL_SECONDS", 2)
    async with working(valkey_url, tmp_path / "one"):
        await until(lambda: control_plane.is_in("w1", "ready"))
        with pytest.raises(WorkerIdInUse, match="give each worker its own SWITCHBOARD_WORKER_ID"):
            async with working(valkey_url, tmp_path / "two") as second:
                await asyncio.wait_for(second.task, 10)
        assert await control_plane.is_in("w1", "ready")


async def test_a_worker_starts_at_once_where_its_predecessor_died(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    dead = WorkerIdentity("w1", tmp_path)
    await dead.claim(control_plane.redis)
    begun_at = time.monotonic()
    async with working(valkey_url, tmp_path):
        await until(lambda: control_plane.is_in("w1", "ready"))
        assert time.monotonic() - begun_at < redis_names.HEARTBEAT_TTL_SECONDS / 2


async def test_a_worker_waits_until_the_claim_of_one_that_died_elsewhere_lapses(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("contracts.redis_names.HEARTBEAT_TTL_SECONDS", 1)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    await WorkerIdentity("w1", elsewhere).claim(control_plane.redis)
    async with working(valkey_url, tmp_path / "here"):
        await until(lambda: control_plane.is_in("w1", "ready"))


async def test_a_worker_that_hears_nothing_more_ends_a_call_with_its_paid_time(
    valkey_url: str, tmp_path: Path, control_plane: ControlPlane
):
    silent, told = call_plan(), call_plan()
    async with working(valkey_url, tmp_path):
        for plan in (silent, told):
            await control_plane.dispatch(plan, funded_until_ms=4_500)
            await until(lambda plan=plan: control_plane.has(plan.call_id, "room.opened"))
        await control_plane.command("w1", told.call_id, ExtendFunds(funded_until_ms=60_000))
        for plan in (silent, told):
            await control_plane.offer("w1", plan.call_id)
        await until(lambda: control_plane.has(silent.call_id, "call.ended"))
        assert not await control_plane.has(told.call_id, "call.ended")
    ended = (await control_plane.events(silent.call_id))[-1].body
    assert isinstance(ended, CallEnded)
    assert (ended.end_reason, ended.detail) == (EndReason.INSUFFICIENT_FUNDS, NOT_EXTENDED)
    assert ended.connected_ms is not None
    assert ended.connected_ms <= 4_500
