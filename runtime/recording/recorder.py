"""Records one call: from the room's frames to the parts in the store."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace

import structlog

from runtime.media.room import FRAME_MS, HeardFrames, Room
from runtime.recording.part_cutter import PartCutter
from runtime.recording.part_encoder import PartEncoder
from runtime.recording.part_store import PartStore
from runtime.recording.part_upload import PartUpload

STOP_SECONDS = 4.0
"""How long the last parts have to be stored. The call's end waits for it, its legs do not."""

logger = structlog.get_logger(__name__)


class Recorder:
    """``folder`` is the recording's folder in ``store``. Call all methods on the room's event loop.

    ``position_ms`` is the call's clock. It is read once, at the first frame. After that the room's
    own frame numbers count, so that the recording does not drift.
    """

    def __init__(
        self,
        store: PartStore,
        folder: str,
        executor: Executor,
        position_ms: Callable[[], int],
    ) -> None:
        self._position_ms = position_ms
        self._upload = PartUpload(store, folder, PartEncoder().encode, executor)
        self._cutter = PartCutter()
        self._uploading: asyncio.Task[None] | None = None
        self._frame_offset: int | None = None
        self._is_paused = False
        self._was_paused = False
        self._is_discarded = False
        self.ends_at_ms = 0
        """Where the last recorded frame ends, in ms of the call."""

    def start(self, room: Room) -> None:
        """Record from the room's next frame on."""
        self._uploading = asyncio.create_task(self._upload.run(), name=f"recording-{room.name}")
        room.tap(self._take)

    def pause(self) -> None:
        """Record silence until ``resume``. Idempotent."""
        self._is_paused = self._was_paused = True

    def resume(self) -> None:
        self._is_paused = False

    def discard(self) -> None:
        """Record and store nothing more. ``stop`` deletes what is stored."""
        self._is_discarded = True
        if self._uploading is not None:
            self._uploading.cancel()

    async def stop(self) -> str | None:
        """End the recording after its room has closed. Returns a sentence if parts are missing."""
        if self._uploading is None:
            return None
        if self._is_discarded:
            await asyncio.wait({self._uploading})
            await self._upload.delete()
            return None
        if (last := self._cutter.cut()) is not None:
            self._upload.add(last)
        self._upload.close()
        await asyncio.wait({self._uploading}, timeout=STOP_SECONDS)
        if not self._uploading.done():
            self._uploading.cancel()
            await asyncio.wait({self._uploading})
        if not self._uploading.cancelled() and (error := self._uploading.exception()) is not None:
            logger.error("recording.upload_failed", exc_info=error)
        return _in_words(self._upload.missing)

    def _take(self, heard: HeardFrames) -> None:
        if self._frame_offset is None:
            self._frame_offset = self._position_ms() // FRAME_MS - heard.index
        if self._is_paused or self._is_discarded:
            return
        if self._was_paused:
            # The others of a late tick may have been said during the pause.
            heard = replace(heard, people=heard.people[-1:])
            self._was_paused = False
        frame = heard.index + self._frame_offset
        self.ends_at_ms = (frame + 1) * FRAME_MS
        complete = self._cutter.push(frame, heard)
        if complete is not None:
            self._upload.add(complete)


def _in_words(missing: dict[int, int]) -> str | None:
    """``missing``: start → end of parts, in ms."""
    stretches: list[tuple[int, int]] = []
    for start, end in sorted(missing.items()):
        if stretches and stretches[-1][1] == start:
            stretches[-1] = (stretches[-1][0], end)
        else:
            stretches.append((start, end))
    if not stretches:
        return None
    named = ", ".join(f"{start / 1000:.1f}-{end / 1000:.1f} s" for start, end in stretches)
    return f"The store did not take these parts in time: {named}"
