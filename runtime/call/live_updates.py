"""Which facts of a call are also told live, and who is told what. Pure."""

from __future__ import annotations

from contracts.events import (
    CallEnded,
    CallStarted,
    EventBody,
    LegJoined,
    LegLeft,
    RecordingStarted,
    RecordingStopped,
    ToolCalled,
)
from contracts.live_messages import (
    CallInProgress,
    CallOver,
    LiveBody,
    LiveTranscript,
    ParticipantStateChanged,
    RecordingStateChanged,
    ToolUsed,
)


def live_body_of(fact: EventBody) -> LiveBody | None:
    """What ``fact`` is told as; ``None`` for facts that are only written down."""
    match fact:
        case CallStarted():
            return CallInProgress()
        case LegJoined(participant_id=participant_id):
            return ParticipantStateChanged(participant_id=participant_id, state="connected")
        case LegLeft(participant_id=participant_id, cause=cause):
            state = "connection_lost" if cause == "connection_lost" else "left"
            return ParticipantStateChanged(participant_id=participant_id, state=state)
        case ToolCalled(name=name, is_error=is_error):
            return ToolUsed(name=name, is_error=is_error)
        case RecordingStarted(recording_id=recording_id):
            return RecordingStateChanged(recording_id=recording_id, state="started")
        case RecordingStopped(recording_id=recording_id):
            return RecordingStateChanged(recording_id=recording_id, state="stopped")
        case CallEnded(end_reason=end_reason):
            return CallOver(end_reason=end_reason.value)
        case _:
            return None


def is_for_participants(body: LiveBody) -> bool:
    """Whether the people in the room are told: a caller's page need not know the agent's tools."""
    return not isinstance(body, ToolUsed)


def is_for_viewers(body: LiveBody, *, transcription_enabled: bool) -> bool:
    """Whether it leaves the worker: words of a call without a transcript stay in its room."""
    return transcription_enabled or not isinstance(body, LiveTranscript)
