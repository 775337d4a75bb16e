"""The heartbeat of a media worker that is not there, for tests whose calls need no worker."""

from __future__ import annotations

from datetime import UTC, datetime

from redis import Redis

from contracts import redis_names
from contracts.heartbeat import WorkerHeartbeat

WORKER_ID = "worker-with-free-slots"


def note_free_worker(redis_url: str, slots: int = 100_000) -> None:
    """Let the control plane believe that a worker has free slots, until Redis is emptied."""
    heartbeat = WorkerHeartbeat(
        worker_id=WORKER_ID,
        sent_at=datetime.now(UTC),
        state="ready",
        slots_total=slots,
        slots_used=0,
    )
    with Redis.from_url(redis_url) as redis:
        redis.sadd(redis_names.WORKERS, WORKER_ID)
        redis.set(redis_names.worker_heartbeat(WORKER_ID), heartbeat.model_dump_json())
