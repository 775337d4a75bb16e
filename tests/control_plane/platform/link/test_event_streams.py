"""Reading all streams of workers' events, against a real Valkey."""

from __future__ import annotations

from typing import Any

import pytest
from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

from contracts import redis_names
from control_plane.platform.link import event_stream
from control_plane.platform.link.event_stream import EVENT_STREAMS, LEFT_IDLE_MS, EventStreams


class Requests:
    """How often Redis was asked, alone or with a pipeline."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        for kind, method in ((Redis, "execute_command"), (Pipeline, "execute")):
            self._watch(monkeypatch, kind, method)

    def _watch(self, monkeypatch: pytest.MonkeyPatch, kind: type, method: str) -> None:
        send = getattr(kind, method)

        async def counted(client: Any, *args: Any, **options: Any) -> Any:
            self.count += 1
            return await send(client, *args, **options)

        monkeypatch.setattr(kind, method, counted)


async def read_and_left(redis: Redis, streams: tuple[str, ...], entries: int) -> None:
    """A consumer has read ``entries`` of each stream, and died."""
    for stream in streams:
        for number in range(entries):
            await redis.xadd(stream, {redis_names.FIELD: f"{stream} {number}"})
    assert len(await EventStreams(redis, "dead").read_new()) == entries * len(streams)


async def test_all_streams_are_asked_for_unfinished_events_at_once(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    await read_and_left(redis, EVENT_STREAMS, 1)
    heir = EventStreams(redis, "heir")
    requests = Requests(monkeypatch)
    entries = await heir.reclaim(0)
    assert [entry.document for entry in entries] == [f"{stream} 0" for stream in EVENT_STREAMS]
    assert [entry.stream for entry in entries] == list(EVENT_STREAMS)
    assert requests.count == 1


async def test_a_stream_with_more_than_a_page_is_asked_again(
    redis: Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    long, short = EVENT_STREAMS[2], EVENT_STREAMS[3]
    await read_and_left(redis, (long,), 5)
    await redis.xadd(short, {redis_names.FIELD: "short"})
    await EventStreams(redis, "dead").read_new()
    monkeypatch.setattr(event_stream, "BATCH", 2)
    documents = [entry.document for entry in await EventStreams(redis, "heir").reclaim(0)]
    assert [each for each in documents if each != "short"] == [f"{long} {n}" for n in range(5)]
    assert documents.count("short") == 1


async def test_the_first_look_creates_the_groups(redis: Redis) -> None:
    streams = EventStreams(redis, "first")
    assert await streams.reclaim(0) == []
    assert await streams.reclaim(0) == []
    for stream in EVENT_STREAMS:
        assert [group["name"] for group in await redis.xinfo_groups(stream)] == [
            redis_names.EVENT_GROUP
        ]


async def test_only_long_idle_events_are_taken_from_the_streams_of_others(redis: Redis) -> None:
    ours, others = EVENT_STREAMS[1], EVENT_STREAMS[2]
    await read_and_left(redis, (ours, others), 1)
    heir = EventStreams(redis, "heir", held=lambda: [ours])
    assert [entry.stream for entry in await heir.reclaim(0)] == [ours]
    [pending] = await redis.xpending_range(others, redis_names.EVENT_GROUP, "-", "+", 1)
    await redis.xclaim(
        others, redis_names.EVENT_GROUP, "dead", 0, [pending["message_id"]], idle=LEFT_IDLE_MS
    )
    assert others in [entry.stream for entry in await heir.reclaim(60_000)]
