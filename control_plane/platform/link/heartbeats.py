"""What the media workers last said about themselves."""

from __future__ import annotations

from typing import Any

import structlog
from pydantic import ValidationError
from redis.asyncio import Redis

from contracts import redis_names
from contracts.heartbeat import WorkerHeartbeat
from contracts.versions import read_json

_log = structlog.get_logger(__name__)


async def read_heartbeats(redis: Redis) -> list[WorkerHeartbeat]:
    """Of every worker that is there, in the order of their names.

    Raises:
        RedisError, OSError: Redis is away.
    """
    worker_ids = sorted(str(worker_id) for worker_id in await redis.smembers(redis_names.WORKERS))
    if not worker_ids:
        return []
    keys = [redis_names.worker_heartbeat(worker_id) for worker_id in worker_ids]
    read = [_read(document) for document in await redis.mget(keys)]
    return [heartbeat for heartbeat in read if heartbeat is not None]


def _read(document: Any) -> WorkerHeartbeat | None:
    """``None`` for a worker without a heartbeat, and for one of another major version."""
    if document is None:
        return None
    try:
        return read_json(WorkerHeartbeat, document)
    except ValidationError:
        _log.warning("heartbeat_unreadable")
        return None
