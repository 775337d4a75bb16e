"""The recordings of one worker."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from contracts.call_plan import CallPlan
from contracts.events import Logged
from runtime.conversation.conversation import CallRecord, Phrases
from runtime.media.room import Room
from runtime.recording.call_recording import CallRecording
from runtime.recording.part_store import ObjectPartStore


class Recordings:
    """Opens a recording for each call that is recorded. One thread encodes the parts of all calls,
    and they go to one store."""

    def __init__(self, object_store_url: str | None, phrases: Phrases) -> None:
        self._store = ObjectPartStore(object_store_url) if object_store_url else None
        self._phrases = phrases
        self._encoding = ThreadPoolExecutor(1, thread_name_prefix="recording")

    def open(self, plan: CallPlan, room: Room, record: CallRecord) -> CallRecording | None:
        """``None`` if the agent does not record calls, or if there is no store."""
        if not plan.agent.features.recording_enabled:
            return None
        if self._store is None:
            message = "The call is not recorded: the media worker was given no object store"
            record.fact(Logged(level="warning", message=message))
            return None
        return CallRecording(plan, room, record, self._phrases, self._store, self._encoding)

    def close(self) -> None:
        self._encoding.shutdown(wait=False, cancel_futures=True)
        if self._store is not None:
            self._store.close()
