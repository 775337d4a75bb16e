from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from contracts.recording import PART_MS
from runtime.media.room import FRAME_MS
from runtime.recording.part_cutter import Part
from runtime.recording.part_upload import LONGEST_RETRY_SECONDS, MOST_WAITING_BYTES, PartUpload
from tests.runtime import virtual_time
from tests.runtime.recording.stores import MemoryPartStore

PART_FRAMES = PART_MS // FRAME_MS
UNUSED = ThreadPoolExecutor(1)


def part(number: int) -> Part:
    people = [np.ones(960, np.int16)] * PART_FRAMES
    return Part(number * PART_FRAMES, list(people), [frame[:480] for frame in people])


def encoded(_: Part) -> bytes:
    return bytes(200_000)


def test_what_waits_is_bounded_and_what_is_given_up_is_known() -> None:
    async def main() -> None:
        store = MemoryPartStore(away=True)
        upload = PartUpload(store, "folder/", encoded, UNUSED)
        uploading = asyncio.create_task(upload.run())
        for number in range(100):
            upload.add(part(number))
            assert upload.waiting_bytes <= MOST_WAITING_BYTES
            await asyncio.sleep(PART_MS / 1000)
        store.away = False
        upload.close()
        await asyncio.sleep(LONGEST_RETRY_SECONDS)
        assert uploading.done()
        assert upload.waiting_bytes == 0
        assert len(store.objects) + len(upload.missing) == 100
        assert len(store.objects) > 10
        assert min(upload.missing) == len(store.objects) * PART_MS

    virtual_time.run(main())


def test_a_part_is_missing_until_it_is_stored() -> None:
    async def main() -> None:
        upload = PartUpload(MemoryPartStore(slow_seconds=1), "folder/", encoded, UNUSED)
        uploading = asyncio.create_task(upload.run())
        upload.add(part(0))
        await asyncio.sleep(0.5)
        assert upload.missing == {0: PART_MS}
        await asyncio.sleep(1)
        assert upload.missing == {}
        uploading.cancel()

    virtual_time.run(main())
