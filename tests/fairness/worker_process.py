"""A media worker in a process of its own, without audio: everybody joins at once and leaves soon.

python -m tests.fairness.worker_process REDIS_URL DATA_DIR WORKER_ID SLOTS CALL_SECONDS
"""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

from contracts.call_plan import CallPlan
from runtime.media.room import Room
from runtime.settings import WorkerSettings
from runtime.worker import Worker
from tests.runtime.fake_media import FakeMedia

ABSENT = "absent"
"""The identity of somebody who never joins."""


class ShortCalls(FakeMedia):
    def __init__(self, call_seconds: float) -> None:
        super().__init__()
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
        room.connect(plan.participants[0].participant_id)
        # Calls that end at the same time would let a call wait for all of them.
        await asyncio.sleep(self._call_seconds * random.uniform(0.5, 1.5))
        await room.remove_leg(plan.participants[0].participant_id)


async def main(
    redis_url: str, data_dir: str, worker_id: str, slots: str, call_seconds: str
) -> None:
    settings = WorkerSettings(
        worker_id=worker_id, redis_url=redis_url, data_dir=Path(data_dir), slots=int(slots)
    )

    async def warm_up() -> ShortCalls:
        return ShortCalls(float(call_seconds))

    await Worker(settings, warm_up).run(asyncio.Event())


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
