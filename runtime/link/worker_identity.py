"""One worker per id: leases, commands and heartbeats of two workers with one id would mix."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from uuid import uuid4

import structlog
from redis.asyncio import Redis

from contracts import redis_names
from link.connection import LINK_ERRORS
from runtime.journal.inheritance import INSTANCE

logger = structlog.get_logger(__name__)

RETRY_SECONDS = 0.5


class WorkerIdInUse(RuntimeError):
    """Another running worker has the same id."""

    def __init__(self, worker_id: str) -> None:
        super().__init__(
            f"another worker runs under the id '{worker_id}'; give each worker its own "
            "SWITCHBOARD_WORKER_ID"
        )


class WorkerIdentity:
    """A worker process's claim to its id. Each heartbeat renews it; it lapses with them.

    Args:
        folder: the worker's own, which no other running worker uses. The claim of a predecessor
            from the same folder is taken over at once, because that process is dead.
    """

    def __init__(self, worker_id: str, folder: Path) -> None:
        self._worker_id = worker_id
        self._note = folder / INSTANCE
        self.key = redis_names.worker_claim(worker_id)
        self.instance = uuid4().hex

    async def claim(self, redis: Redis) -> None:
        """Claim the id, through every outage of Redis.

        Raises:
            WorkerIdInUse: another worker keeps renewing its claim to the id.
        """
        predecessor = self._note.read_text() if self._note.exists() else None
        give_up_at: float | None = None
        while True:
            try:
                holder = await self._holder(redis, predecessor)
            except LINK_ERRORS as error:
                logger.warning("worker.id_not_claimed", error=str(error))
            else:
                if holder is None:
                    break
                # A dead worker's claim lapses within this time.
                give_up_at = give_up_at or time.monotonic() + redis_names.HEARTBEAT_TTL_SECONDS + 1
                if time.monotonic() > give_up_at:
                    raise WorkerIdInUse(self._worker_id)
            await asyncio.sleep(RETRY_SECONDS)
        self._note.write_text(self.instance)

    async def _holder(self, redis: Redis, predecessor: str | None) -> str | None:
        """Another process that holds the id; ``None``: it is ours now."""
        ttl_seconds = redis_names.HEARTBEAT_TTL_SECONDS
        while not await redis.set(self.key, self.instance, nx=True, ex=ttl_seconds):
            holder = await redis.get(self.key)
            if holder == predecessor:
                await redis.set(self.key, self.instance, ex=ttl_seconds)
                break
            if holder is not None:
                return str(holder)
        return None
