"""When a call is recorded: at once, or after everybody has heard the announcement."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Executor
from uuid import UUID, uuid4

from contracts.call_plan import CallPlan
from contracts.events import (
    EventBody,
    Logged,
    RecordingStarted,
    RecordingStopped,
    TranscriptSegment,
)
from contracts.live_messages import LiveBody, LiveTranscript
from contracts.recording import recording_folder
from pipelines.texts.recording_refusal import refuses_recording
from runtime.conversation.conversation import CallRecord, Conversation, Phrases
from runtime.media.room import Room
from runtime.recording.part_store import PartStore
from runtime.recording.recorder import Recorder

REFUSED = "a caller did not agree to be recorded"
OpenRecording = Callable[[CallPlan, Room, CallRecord], "CallRecording | None"]
"""``None`` for a call that is not recorded."""


class CallRecording:
    """Records one call in one room. A failure in here does not end the call.

    Where consent is required, the agent announces the recording before the opener, and nothing is
    recorded until the announcement has been played to its end. When somebody joins later, recording
    stops until that person has heard the announcement too, or has left. A caller who refuses to be
    recorded ends it for good, and what was recorded is deleted.
    """

    def __init__(
        self,
        plan: CallPlan,
        room: Room,
        record: CallRecord,
        phrases: Phrases,
        store: PartStore,
        executor: Executor,
    ) -> None:
        self._recording_id = uuid4()
        self._room = room
        self._record = record
        self.announcement = (
            phrases.recording_announcement(plan) if plan.agent.features.require_consent else None
        )
        folder = recording_folder(plan.tenant_id, plan.call_id, self._recording_id)
        self._recorder = Recorder(store, folder, executor, record.position_ms)
        self._started = False
        self._here: set[UUID] = set()
        self._told: set[UUID] = set()
        self._untold: set[UUID] = set()
        self._announcing = asyncio.Lock()
        self._locale = plan.locale
        self._is_refused = False

    def joined(self, participant_id: UUID) -> None:
        """Somebody has joined the room."""
        self._here.add(participant_id)
        if self.announcement is not None and participant_id not in self._told:
            self._untold.add(participant_id)
            self._recorder.pause()
        self._go_on_if_all_are_told()

    def left(self, participant_id: UUID) -> None:
        """Somebody has left the room, and need not hear the announcement any more. Once all have,
        nothing is recorded: the room stays open a little longer than the call."""
        self._here.discard(participant_id)
        self._untold.discard(participant_id)
        if not self._here:
            self._recorder.pause()
        self._go_on_if_all_are_told()

    async def announce(self, conversation: Conversation) -> None:
        """Announce the recording to everybody who has not heard it, and record from then on."""
        if self.announcement is None or self._is_refused:
            return
        async with self._announcing:
            while self._untold:
                hearing = frozenset(self._untold)
                if await conversation.announce(self.announcement):
                    self._told |= hearing & self._untold
                    self._untold -= hearing
                elif self._untold:
                    self._record.fact(
                        Logged(
                            level="warning",
                            message="Nothing is recorded while somebody is here who has not heard "
                            "the announcement of the recording to its end",
                        )
                    )
                    return
            self._go_on_if_all_are_told()

    def is_refused_by(self, said: EventBody | LiveBody) -> bool:
        """Whether consent is required, and a caller refuses it with these words. Then nothing is
        recorded any more, and what was is deleted.

        Where no transcript is kept, words are only shown. And words over the announcement, which
        callers cannot interrupt, are in no turn: they count as they are shown.
        """
        if self.announcement is None or self._is_refused:
            return False
        match said:
            case TranscriptSegment(speaker="user", text=words):
                pass
            case LiveTranscript(speaker="user", text=words, is_final=is_final) if (
                is_final or self._announcing.locked()
            ):
                pass
            case _:
                return False
        self._is_refused = refuses_recording(words, self._locale)
        if self._is_refused:
            self._discard()
        return self._is_refused

    async def finish(self) -> None:
        """The room is closed. Store what is left, and report how long the recording is."""
        if not self._started:
            return
        missing = await self._recorder.stop()
        if self._is_refused:
            return
        self._record.fact(
            RecordingStopped(
                recording_id=self._recording_id,
                duration_ms=self._recorder.ends_at_ms,
                detail=missing,
            )
        )

    def _discard(self) -> None:
        self._recorder.discard()
        if self._started:
            self._record.fact(
                RecordingStopped(
                    recording_id=self._recording_id,
                    duration_ms=self._recorder.ends_at_ms,
                    detail=REFUSED,
                    refused=True,
                )
            )
        else:
            self._record.fact(Logged(level="info", message=f"Nothing is recorded: {REFUSED}"))

    def _go_on_if_all_are_told(self) -> None:
        if self._is_refused or self._untold or not self._here:
            return
        self._recorder.resume()
        if not self._started:
            self._started = True
            self._recorder.start(self._room)
            self._record.fact(RecordingStarted(recording_id=self._recording_id))
