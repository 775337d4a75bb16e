"""Renews the leases and media positions of many calls, as their workers do once a second.

python -m bench.heartbeats REDIS_URL < call ids, one a line, then an empty line
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from uuid import UUID

from redis import Redis

from contracts import redis_names
from contracts.heartbeat import CallMedia

WORKER_ID = "worker-of-the-bench"
AT_ONCE = 1_000


def beat(redis: Redis, calls: Sequence[UUID]) -> None:
    """One heartbeat of the calls' workers."""
    for first in range(0, len(calls), AT_ONCE):
        pipe = redis.pipeline(transaction=False)
        for call_id in calls[first : first + AT_ONCE]:
            media = CallMedia(
                call_id=call_id,
                tenant_id=call_id,
                worker_id=WORKER_ID,
                connected_ms=1_000,
                sent_at=datetime.now(UTC),
            )
            pipe.set(
                redis_names.call_lease(call_id), WORKER_ID, ex=redis_names.LEASE_TTL_SECONDS * 10
            )
            pipe.hset(redis_names.MEDIA, str(call_id), media.model_dump_json())
        pipe.execute()


def main() -> None:
    calls = [UUID(line) for line in iter(lambda: sys.stdin.readline().strip(), "")]
    redis = Redis.from_url(sys.argv[1])
    while True:
        started_at = time.monotonic()
        beat(redis, calls)
        # Their processor time is not that of a worker in C: leave some to what is measured.
        spent = time.monotonic() - started_at
        time.sleep(max(redis_names.HEARTBEAT_INTERVAL_SECONDS - spent, 2 * spent))


if __name__ == "__main__":
    main()
