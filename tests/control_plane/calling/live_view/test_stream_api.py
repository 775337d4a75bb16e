"""``GET /v1/calls/{call_id}/stream`` over a real socket, with a worker that the test speaks for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from redis.asyncio import Redis

from contracts import redis_names
from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason
from contracts.events import TranscriptSegment, TurnMeasured
from contracts.live_messages import (
    AgentStateChanged,
    CallInProgress,
    CallOver,
    Interrupted,
    ParticipantStateChanged,
    RecordingStateChanged,
    ToolUsed,
    TurnLatency,
)
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.live_view.live_feed import LiveFeed, LiveViewTiming
from control_plane.calling.live_view.viewer_seats import ViewerSeats
from control_plane.platform.database import Database
from tests.control_plane.calling.live_view.viewer import Event, served, tell, watching, words
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import catch_up, claimed_call, create_call, running_call
from tests.control_plane.fake_worker import FakeWorker
from tests.runtime.until import until


@pytest.fixture
async def plan(tenant: TenantClient, worker: FakeWorker, consumer: EventConsumer) -> CallPlan:
    """Of a call in progress."""
    return await running_call(tenant, worker, consumer)


@pytest.fixture
async def url(app: FastAPI) -> AsyncIterator[str]:
    async with served(app) as url:
        yield url


def feed_of(app: FastAPI) -> LiveFeed:
    feed: LiveFeed = app.state.live_feed
    return feed


def states(events: list[Event]) -> list[tuple[str, str]]:
    return [(e.data["subject"], e.data["state"]) for e in events if e.name == "state"]


def texts(events: list[Event]) -> list[str]:
    return [event.data["text"] for event in events if event.name == "transcript"]


def segment(sequence: int, text: str) -> TranscriptSegment:
    return TranscriptSegment(
        sequence=sequence,
        speaker="agent",
        text=text,
        started_at_ms=sequence * 1000,
        ended_at_ms=sequence * 1000 + 500,
    )


async def end_on_record(worker: FakeWorker, consumer: EventConsumer, plan: CallPlan) -> None:
    await worker.end(plan, connected_ms=5_000)
    await catch_up(consumer)


# -- while the call runs ---------------------------------------------------------------------------


async def test_everything_is_told_as_it_happens(
    url: str, tenant: TenantClient, plan: CallPlan, redis: Redis
) -> None:
    person, recording = plan.participants[0].participant_id, uuid4()
    async with watching(url, tenant, plan.call_id) as viewer:
        first = await viewer.take(2)
        assert states(first) == [("call", "in_progress"), ("participant", "connected")]
        ids = await tell(
            redis,
            plan.call_id,
            CallInProgress(),
            ParticipantStateChanged(participant_id=person, state="connected"),
            AgentStateChanged(state="thinking"),
            words("Hel", final=False),
            words("Hello.", sequence=0),
            TurnLatency(utterance=0, sequence=0, end_to_end_ms=480),
            Interrupted(at_ms=900),
            ToolUsed(name="book", is_error=False),
            RecordingStateChanged(recording_id=recording, state="started"),
        )
        events = await viewer.take(8)
    assert [event.name for event in events] == [
        "state",
        "state",
        "transcript",
        "transcript",
        "latency",
        "interruption",
        "tool",
        "recording",
    ]
    assert [event.event_id for event in events] == ids[1:]
    assert events[3].data == {
        "utterance": 0,
        "sequence": 0,
        "speaker": "user",
        "text": "Hello.",
        "is_final": True,
        "at_ms": 0,
    }
    assert events[4].data == {"utterance": 0, "sequence": 0, "end_to_end_ms": 480}
    assert events[6].data == {"name": "book", "is_error": False}
    assert events[7].data == {"recording_id": str(recording), "state": "started"}


async def test_who_comes_late_is_told_what_is_still_true(
    url: str, tenant: TenantClient, plan: CallPlan, redis: Redis
) -> None:
    await tell(
        redis,
        plan.call_id,
        AgentStateChanged(state="thinking"),
        words("Good", final=False),
        words("Good morning.", sequence=0),
        AgentStateChanged(state="listening"),
        words("I would", 1, final=False),
        words("I would like", 1, final=False),
    )
    async with watching(url, tenant, plan.call_id) as viewer:
        events = await viewer.until_text("I would like")
    assert states(events)[2:] == [("agent", "listening")]
    assert texts(events) == ["Good morning.", "I would like"]


async def test_the_beginning_that_redis_no_longer_keeps_is_told_from_the_record(
    url: str,
    tenant: TenantClient,
    plan: CallPlan,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    await worker.ship(plan, segment(0, "Zero."), segment(1, "One."), segment(2, "Two."))
    await worker.ship(plan, TurnMeasured(sequence=1, end_to_end_ms=700))
    await catch_up(consumer)
    await tell(
        worker.redis, plan.call_id, words("Two.", 2, sequence=2), words("Thr", 3, final=False)
    )
    async with watching(url, tenant, plan.call_id) as viewer:
        events = await viewer.until_text("Thr")
    assert texts(events) == ["Zero.", "One.", "Two.", "Thr"]
    assert [event.data["sequence"] for event in events if event.name == "transcript"] == [
        0,
        1,
        2,
        None,
    ]
    [latency] = [event for event in events if event.name == "latency"]
    assert latency.data == {"utterance": None, "sequence": 1, "end_to_end_ms": 700}


async def test_a_viewer_who_comes_back_misses_nothing_and_hears_nothing_twice(
    url: str, tenant: TenantClient, plan: CallPlan, redis: Redis
) -> None:
    async with watching(url, tenant, plan.call_id) as viewer:
        await tell(redis, plan.call_id, words("one", 0), words("two", 1))
        seen = (await viewer.until_text("two"))[-1].event_id
    await tell(redis, plan.call_id, words("three", 2), words("four", 3))
    async with watching(url, tenant, plan.call_id, seen) as viewer:
        missed = await viewer.until_text("four")
        await tell(redis, plan.call_id, words("five", 4))
        live = await viewer.until_text("five")
    assert texts(missed + live) == ["three", "four", "five"]


@pytest.mark.parametrize("unknown", ["0", "end", "x-y", "9" * 30, "1-2-3", "-"])
async def test_an_id_that_is_none_of_ours_begins_anew(
    url: str, tenant: TenantClient, plan: CallPlan, redis: Redis, unknown: str
) -> None:
    await tell(redis, plan.call_id, words("one", 0))
    async with watching(url, tenant, plan.call_id, unknown) as viewer:
        assert texts(await viewer.until_text("one")) == ["one"]


async def test_a_message_of_a_newer_worker_is_passed_over(
    url: str, tenant: TenantClient, plan: CallPlan, redis: Redis
) -> None:
    async with watching(url, tenant, plan.call_id) as viewer:
        await viewer.take(2)
        await redis.xadd(
            redis_names.live_stream(plan.call_id), {redis_names.FIELD: '{"version": 2}'}
        )
        await tell(redis, plan.call_id, words("one", 0))
        assert texts([e for e in [await viewer.next()] if e]) == ["one"]


async def test_the_record_tells_when_the_call_begins(
    url: str,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    plan = await claimed_call(tenant, worker)
    await catch_up(consumer)
    async with watching(url, tenant, plan.call_id) as viewer:
        assert states(await viewer.take(1)) == [("call", "connecting")]
        await worker.start(plan)
        await catch_up(consumer)
        assert states(await viewer.take(1)) == [("call", "in_progress")]


# -- the end ---------------------------------------------------------------------------------------


async def test_it_ends_with_the_call_and_need_not_be_opened_again(
    url: str,
    tenant: TenantClient,
    plan: CallPlan,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    async with watching(url, tenant, plan.call_id) as viewer:
        await viewer.take(2)
        await tell(worker.redis, plan.call_id, CallOver(end_reason="participant_disconnected"))
        await end_on_record(worker, consumer, plan)
        [last] = await viewer.rest()
    assert (last.name, last.event_id) == ("state", "end")
    assert last.data == {
        "subject": "call",
        "state": "completed",
        "end_reason": "participant_disconnected",
    }
    headers = tenant.headers | {"Last-Event-ID": "end"}
    done = await tenant.http.get(f"/v1/calls/{plan.call_id}/stream", headers=headers)
    assert (done.status_code, done.content) == (204, b"")


async def test_an_end_that_no_worker_tells_ends_it_too(
    url: str,
    tenant: TenantClient,
    plan: CallPlan,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    async with watching(url, tenant, plan.call_id) as viewer:
        await viewer.take(2)
        await worker.end(plan, connected_ms=5_000, reason=EndReason.WORKER_ERROR)
        await catch_up(consumer)
        [last] = await viewer.rest()
    assert (last.data["state"], last.data["end_reason"]) == ("failed", "worker_error")


async def test_words_that_redis_lost_are_told_before_the_end(
    url: str,
    tenant: TenantClient,
    plan: CallPlan,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    async with watching(url, tenant, plan.call_id) as viewer:
        await tell(worker.redis, plan.call_id, words("Zero.", 0, sequence=0))
        await viewer.until_text("Zero.")
        await worker.ship(plan, segment(0, "Zero."), segment(1, "One."))
        await end_on_record(worker, consumer, plan)
        events = await viewer.rest()
    assert texts(events) == ["One."]
    assert events[-1].event_id == "end"


async def test_a_call_that_is_over_is_told_from_the_record(
    url: str,
    tenant: TenantClient,
    plan: CallPlan,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    await worker.ship(plan, segment(0, "Zero."), segment(1, "One."))
    await end_on_record(worker, consumer, plan)
    for last_event_id in (None, "1700000000000-0"):
        async with watching(url, tenant, plan.call_id, last_event_id) as viewer:
            events = await viewer.rest()
        assert texts(events) == ["Zero.", "One."]
        assert states(events) == [("call", "completed")]


async def test_a_call_that_ended_meanwhile_is_resumed_to_its_end(
    url: str,
    tenant: TenantClient,
    plan: CallPlan,
    worker: FakeWorker,
    consumer: EventConsumer,
) -> None:
    seen, _ = await tell(
        worker.redis, plan.call_id, words("Zero.", 0, sequence=0), words("One.", 1, sequence=1)
    )
    await worker.ship(plan, segment(0, "Zero."), segment(1, "One."))
    await end_on_record(worker, consumer, plan)
    async with watching(url, tenant, plan.call_id, seen) as viewer:
        events = await viewer.rest()
    assert texts(events) == ["One."]
    assert states(events) == [("call", "completed")]


# -- viewers ---------------------------------------------------------------------------------------


async def test_silence_is_filled_with_comments(
    app: FastAPI, tenant: TenantClient, plan: CallPlan, redis: Redis, database: Database
) -> None:
    app.state.live_feed = LiveFeed(redis, database, LiveViewTiming(keep_alive_seconds=0.05))
    async with served(app) as url, watching(url, tenant, plan.call_id) as viewer:
        await viewer.take(2)
        reading = asyncio.create_task(viewer.next())
        await until(lambda: viewer.comments >= 3)
        await tell(redis, plan.call_id, words("one", 0))
        event = await reading
    assert event is not None
    assert event.text == "one"


async def test_a_viewer_must_come_again_after_a_while(
    app: FastAPI, tenant: TenantClient, plan: CallPlan, redis: Redis, database: Database
) -> None:
    timing = LiveViewTiming(keep_alive_seconds=0.05, longest_seconds=0.2)
    app.state.live_feed = LiveFeed(redis, database, timing)
    async with served(app) as url, watching(url, tenant, plan.call_id) as viewer:
        events = await viewer.rest()
    assert states(events) == [("call", "in_progress"), ("participant", "connected")]
    assert "end" not in [event.event_id for event in events]


async def test_nothing_runs_any_more_when_the_last_viewer_has_gone(
    app: FastAPI, url: str, tenant: TenantClient, plan: CallPlan
) -> None:
    async with AsyncExitStack() as stack:
        viewers = [
            await stack.enter_async_context(watching(url, tenant, plan.call_id)) for _ in range(3)
        ]
        await until(lambda: feed_of(app).viewers == len(viewers))
    await until(lambda: feed_of(app).viewers == 0)
    await until(lambda: not any(t.get_name().startswith("live-feed") for t in asyncio.all_tasks()))


async def test_a_viewer_who_reads_slowly_misses_nothing_and_holds_up_nobody(
    url: str, tenant: TenantClient, plan: CallPlan, redis: Redis
) -> None:
    """More is said than any buffer between the two holds, and than the process keeps itself."""
    said = [words("x" * 20_000 + str(number), number) for number in range(600)]
    async with (
        watching(url, tenant, plan.call_id) as slow,
        watching(url, tenant, plan.call_id) as quick,
    ):
        await slow.take(2)
        for start in range(0, len(said), 100):
            await tell(redis, plan.call_id, *said[start : start + 100])
        heard_quickly = await quick.until_text(said[-1].text)
        heard_slowly = await slow.until_text(said[-1].text)
    assert texts(heard_quickly) == [each.text for each in said]
    assert texts(heard_slowly) == [each.text for each in said]


async def test_many_viewers_share_one_reader(
    app: FastAPI,
    url: str,
    tenant: TenantClient,
    plan: CallPlan,
    redis: Redis,
) -> None:
    """No viewer has a connection of its own to Redis or to PostgreSQL."""
    agent_id = await tenant.published_agent()
    calls = [plan.call_id]
    calls += [UUID((await create_call(tenant, agent_id))["id"]) for _ in range(9)]
    viewers = 200
    async with AsyncExitStack() as stack:
        opened = [
            await stack.enter_async_context(watching(url, tenant, calls[number % len(calls)]))
            for number in range(viewers)
        ]
        await until(lambda: feed_of(app).viewers == viewers)
        for call_id in calls:
            await tell(redis, call_id, words("to all", 0))
        heard = await asyncio.gather(*(each.until_text("to all") for each in opened))
        connections = [
            client for client in await redis.client_list() if "xread" in client.get("cmd", "")
        ]
    assert len(heard) == viewers
    assert len(connections) <= 1
    pool = app.state.database._app.pool
    assert pool.checkedout() == 0


async def test_a_server_takes_so_many_viewers_and_no_more(
    app: FastAPI, tenant: TenantClient, plan: CallPlan, database: Database
) -> None:
    app.state.viewer_seats = ViewerSeats(database, most=1, most_per_tenant=10)
    async with served(app) as url, watching(url, tenant, plan.call_id) as viewer:
        await viewer.take(2)
        refused = await tenant.get(f"/v1/calls/{plan.call_id}/stream")
    assert (refused.status_code, refused.json()["code"]) == (503, "too_many_viewers")
    assert refused.headers["Retry-After"] == "10"


async def test_a_tenant_takes_only_its_share(
    app: FastAPI,
    tenant: TenantClient,
    other_tenant: TenantClient,
    plan: CallPlan,
    database: Database,
) -> None:
    app.state.viewer_seats = ViewerSeats(database, most=10, most_per_tenant=2)
    others = await create_call(other_tenant, await other_tenant.published_agent())
    path = f"/v1/calls/{plan.call_id}/stream"
    async with served(app) as url, AsyncExitStack() as stack:
        for _ in range(2):
            await stack.enter_async_context(watching(url, tenant, plan.call_id))
        refused = await tenant.get(path)
        async with watching(url, other_tenant, others["id"]) as viewer:
            assert await viewer.take(1)
    await until(lambda: not app.state.viewer_seats._seats)
    assert (refused.status_code, refused.json()["code"]) == (429, "viewer_share_used_up")
    assert refused.json()["limit"] == 2
    assert (await tenant.get(path, params={"follow": "false"})).status_code == 200


async def test_a_stream_ends_soon_after_its_key_is_revoked(
    app: FastAPI, tenant: TenantClient, plan: CallPlan, redis: Redis, database: Database
) -> None:
    app.state.viewer_seats = ViewerSeats(database, most=10, most_per_tenant=10, recheck_seconds=0.1)
    made = (await tenant.post("/v1/api-keys", {"name": "Watcher", "kind": "secret"})).json()
    watcher = TenantClient(tenant.tenant_id, made["key"], tenant.http)
    async with (
        served(app) as url,
        watching(url, watcher, plan.call_id) as viewer,
        watching(url, tenant, plan.call_id) as unconcerned,
    ):
        await viewer.take(2)
        await unconcerned.take(2)
        revoked = await tenant.request("DELETE", f"/v1/api-keys/{made['id']}")
        assert revoked.status_code == 200, revoked.text
        assert await viewer.rest() == []
        assert (await tenant.http.get("/v1/me", headers=watcher.headers)).status_code == 401
        await tell(redis, plan.call_id, words("still here"))
        assert texts(await unconcerned.until_text("still here")) == ["still here"]


async def test_a_viewer_who_does_not_read_loses_the_seat_with_the_key(
    app: FastAPI, tenant: TenantClient, plan: CallPlan, redis: Redis, database: Database
) -> None:
    app.state.viewer_seats = ViewerSeats(database, most=10, most_per_tenant=10, recheck_seconds=0.1)
    made = (await tenant.post("/v1/api-keys", {"name": "Watcher", "kind": "secret"})).json()
    watcher = TenantClient(tenant.tenant_id, made["key"], tenant.http)
    said = [words("x" * 20_000 + str(number), number) for number in range(600)]
    async with served(app) as url, watching(url, watcher, plan.call_id) as viewer:
        await viewer.take(2)
        for start in range(0, len(said), 100):
            await tell(redis, plan.call_id, *said[start : start + 100])
        await tenant.request("DELETE", f"/v1/api-keys/{made['id']}")
        await until(lambda: not app.state.viewer_seats._seats)


# -- refusals --------------------------------------------------------------------------------------


async def test_who_may_not_watch_is_told_why(
    tenant: TenantClient, other_tenant: TenantClient
) -> None:
    call = await create_call(tenant, await tenant.published_agent())
    path = f"/v1/calls/{call['id']}/stream"
    refused = [
        await tenant.http.get(path),
        await tenant.http.get(path, headers=await tenant.publishable_key()),
        await other_tenant.get(path),
        await tenant.get("/v1/calls/no-id/stream"),
    ]
    assert [(each.status_code, each.json()["code"]) for each in refused] == [
        (401, "unauthorized"),
        (403, "secret_key_required"),
        (404, "call_not_found"),
        (400, "invalid_request"),
    ]
