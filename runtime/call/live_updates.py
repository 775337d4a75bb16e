"""Which facts of a call are shown live, and to whom. Pure."""

from __future__ import annotations

from contracts.dial_outcome import DialOutcome, carrier_end_reason
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
    """The message that shows ``fact``; ``None`` for facts that are only recorded."""
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
        case CallEnded(lost_carrier=str(carrier)):
            return CallOver(end_reason=carrier_end_reason(carrier, DialOutcome.FAILED))
        case CallEnded(end_reason=end_reason):
            return CallOver(end_reason=end_reason.value)
        case _:
            return None


def is_for_participants(body: LiveBody, *, in_private: bool) -> bool:
    """Whether the people in the room see it. A caller's page must not see the agent's tools, nor
    what the agent says to somebody else in private."""
    if isinstance(body, LiveTranscript):
        return not in_private or body.speaker == "user"
    return not isinstance(body, ToolUsed)


def is_for_viewers(body: LiveBody, *, keeps_words: bool) -> bool:
    """Whether it leaves the worker. Without a transcript, what is said stays in the room."""
    return keeps_words or not isinstance(body, LiveTranscript)
