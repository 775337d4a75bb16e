"""kill -9 of a worker in the middle of a call, and its successor on the same disk."""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from redis.asyncio import Redis

from contracts import redis_names
from contracts.end_reasons import EndReason
from contracts.events import CallEnded
from contracts.heartbeat import CallMedia
from tests.runtime.control_plane import ControlPlane
from tests.runtime.fakes import call_plan
from tests.runtime.until import until


@asynccontextmanager
async def worker_process(url: str, data_dir: Path) -> AsyncIterator[asyncio.subprocess.Process]:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.runtime.worker_process", url, str(data_dir)
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def test_the_successor_settles_the_call_at_the_last_second_known(
    valkey_url: str, tmp_path: Path
):
    plan = call_plan()
    async with Redis.from_url(valkey_url, decode_responses=True) as redis:
        control_plane = ControlPlane(redis)

        async def connected_ms() -> int:
            document = await redis.hget(redis_names.MEDIA, str(plan.call_id))
            media = CallMedia.model_validate_json(document) if document else None
            return (media and media.connected_ms) or 0

        async def has_talked_for_a_while() -> bool:
            return await connected_ms() > 1500

        async with worker_process(valkey_url, tmp_path) as process:
            await control_plane.dispatch(plan)
            await until(lambda: control_plane.has(plan.call_id, "room.opened"))
            await control_plane.offer("w1", plan.call_id)
            await until(has_talked_for_a_while)
            process.send_signal(signal.SIGKILL)
            await process.wait()
        last_known_ms = await connected_ms()
        async with worker_process(valkey_url, tmp_path):
            await until(lambda: control_plane.has(plan.call_id, "call.ended"))
        events = {each.seq: each for each in await control_plane.events(plan.call_id)}
        ended = events[max(events)].body
        assert sorted(events) == list(range(1, max(events) + 1))
        assert ended == CallEnded(
            end_reason=EndReason.WORKER_ERROR,
            connected_ms=last_known_ms,
            detail="the media worker died",
        )
        await redis.hset(redis_names.APPLIED, str(plan.call_id), str(max(events)))
        async with worker_process(valkey_url, tmp_path):
            await until(lambda: not list((tmp_path / "journal").iterdir()))
