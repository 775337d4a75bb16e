"""A media worker in a process of its own, without audio: everybody joins at once and leaves soon.

python -m tests.fairness.worker_process REDIS_URL DATA_DIR WORKER_ID SLOTS CALL_SECONDS
"""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path
from uuid import uuid4

from redis.asyncio import Redis

from contracts.call_plan import CallPlan
from contracts.commands import OfferLeg
from control_plane.platform.link.commands import offer_leg
from runtime.media.room import Room
from runtime.settings import WorkerSettings
from runtime.worker import Worker
from tests.runtime.fake_media import FakeMedia

OFFER_SECONDS = 5.0
ABSENT = "absent"
"""The identity of somebody who never joins."""


class ShortCalls(FakeMedia):
    def __init__(self, redis: Redis, worker_id: str, call_seconds: float) -> None:
        super().__init__()
        self._redis = redis
        self._worker_id = worker_id
        self._call_seconds = call_seconds
        self._visits: set[asyncio.Task[None]] = set()

    async def open_room(self, plan: CallPlan) -> Room:
        room = await super().open_room(plan)
        if plan.participants[0].identity != ABSENT:
            visit = asyncio.create_task(self._visit(plan))
            self._visits.add(visit)
            visit.add_done_callback(self._visits.discard)
        return room

    async def _visit(self, plan: CallPlan) -> None:
        room = self.rooms.pop(plan.call_id)
        participant_id = plan.participants[0].participant_id
        offer = OfferLeg(
            participant_id=participant_id, identity="caller", sdp="offer", reply_to=uuid4()
        )
        await offer_leg(self._redis, self._worker_id, plan.call_id, offer, OFFER_SECONDS)
        # Calls that end at the same time would let a call wait for all of them.
        await asyncio.sleep(self._call_seconds * random.uniform(0.5, 1.5))
        await room.remove_leg(participant_id)


async def main(
    redis_url: str, data_dir: str, worker_id: str, slots: str, call_seconds: str
) -> None:
    settings = WorkerSettings(
        worker_id=worker_id, redis_url=redis_url, data_dir=Path(data_dir), slots=int(slots)
    )

    async def warm_up() -> ShortCalls:
        return ShortCalls(redis, worker_id, float(call_seconds))

    async with Redis.from_url(redis_url, decode_responses=True) as redis:
        await Worker(settings, warm_up).run(asyncio.Event())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
