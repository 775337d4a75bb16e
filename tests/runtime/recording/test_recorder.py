"""From the room's frames to the store, in virtual time; the room never waits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from contracts.recording import PART_MS, part_path
from runtime.media.room import FRAME_MS, HeardFrames
from runtime.recording import part_upload
from runtime.recording.recorder import STOP_SECONDS, Recorder
from tests.runtime import virtual_time
from tests.runtime.fakes import FakeRoom
from tests.runtime.recording.stores import MemoryPartStore

FOLDER = "recordings/of/a/test/"
PART_FRAMES = PART_MS // FRAME_MS
UNUSED = ThreadPoolExecutor(1)
"""In virtual time the loop itself does what is given to executors."""
NOISE = np.random.default_rng(1).integers(-9000, 9000, 960).astype(np.int16)


class Stage:
    def __init__(self, store: MemoryPartStore, position_ms: int = 0) -> None:
        self.room = FakeRoom()
        self.store = store
        self.recorder = Recorder(store, FOLDER, UNUSED, lambda: position_ms)
        self.frame = 0

    async def hear(self, frames: int, late_by: int = 0) -> None:
        """As many frames of the room, in real time. ``late_by`` more are in each tick."""
        assert self.room.tapped_by is not None
        for _ in range(frames):
            self.frame += 1
            self.room.tapped_by(HeardFrames(self.frame, [NOISE] * (1 + late_by), NOISE[:480]))
            await asyncio.sleep(FRAME_MS / 1000)


def play(script: Callable[[], Awaitable[None]]) -> None:
    async def main() -> None:
        async with asyncio.timeout(10_000):
            await script()

    virtual_time.run(main())


def paths(*starts_at_ms: int) -> list[str]:
    return [part_path(FOLDER, each) for each in starts_at_ms]


def test_parts_are_stored_while_the_call_runs_and_the_rest_at_its_end() -> None:
    async def script() -> None:
        stage = Stage(MemoryPartStore())
        stage.recorder.start(stage.room)
        await stage.hear(PART_FRAMES + 10)
        assert list(stage.store.objects) == paths(0)
        assert await stage.recorder.stop() is None
        assert list(stage.store.objects) == paths(0, PART_MS)
        assert stage.recorder.ends_at_ms == PART_MS + 10 * FRAME_MS

    play(script)


def test_a_recording_that_begins_late_begins_at_its_place_on_the_calls_clock() -> None:
    async def script() -> None:
        stage = Stage(MemoryPartStore(), position_ms=2465)
        stage.recorder.start(stage.room)
        await stage.hear(5)
        await stage.recorder.stop()
        assert list(stage.store.objects) == paths(2460)

    play(script)


def test_what_is_heard_during_a_pause_is_not_recorded() -> None:
    async def script() -> None:
        stage = Stage(MemoryPartStore())
        stage.recorder.start(stage.room)
        await stage.hear(10)
        stage.recorder.pause()
        await stage.hear(2 * PART_FRAMES)
        stage.recorder.resume()
        await stage.hear(10)
        await stage.recorder.stop()
        assert list(stage.store.objects) == paths(0, 2 * PART_MS + 200)

    play(script)


def test_what_a_late_tick_brings_from_before_the_resume_is_not_recorded() -> None:
    async def script() -> None:
        stage = Stage(MemoryPartStore())
        stage.recorder.start(stage.room)
        await stage.hear(10)
        stage.recorder.pause()
        await stage.hear(2 * PART_FRAMES)
        stage.recorder.resume()
        stage.frame += 4
        await stage.hear(1, late_by=4)
        await stage.recorder.stop()
        assert list(stage.store.objects) == paths(0, 2 * PART_MS + 280)

    play(script)


def test_a_store_that_comes_back_is_given_everything() -> None:
    async def script() -> None:
        stage = Stage(MemoryPartStore(away=True))
        stage.recorder.start(stage.room)
        await stage.hear(3 * PART_FRAMES)
        stage.store.away = False
        await asyncio.sleep(part_upload.LONGEST_RETRY_SECONDS)
        assert await stage.recorder.stop() is None
        assert list(stage.store.objects) == paths(0, PART_MS, 2 * PART_MS)

    play(script)


def test_what_a_store_did_not_take_until_the_end_is_said() -> None:
    async def script() -> None:
        stage = Stage(MemoryPartStore())
        stage.recorder.start(stage.room)
        await stage.hear(PART_FRAMES + 1)
        stage.store.away = True
        await stage.hear(2 * PART_FRAMES)
        missing = await stage.recorder.stop()
        assert missing == "The store did not take these parts in time: 5.0-15.0 s"

    play(script)


def test_a_slow_store_holds_the_end_of_the_call_no_longer_than_allowed() -> None:
    async def script() -> None:
        stage = Stage(MemoryPartStore(slow_seconds=60))
        stage.recorder.start(stage.room)
        await stage.hear(PART_FRAMES + 1)
        loop = asyncio.get_running_loop()
        stopped_at = loop.time()
        assert await stage.recorder.stop() is not None
        assert loop.time() - stopped_at <= STOP_SECONDS + 0.1

    play(script)


def test_a_call_that_was_never_recorded_has_nothing_missing() -> None:
    async def script() -> None:
        stage = Stage(MemoryPartStore())
        assert await stage.recorder.stop() is None
        assert stage.store.attempts == 0

    play(script)
