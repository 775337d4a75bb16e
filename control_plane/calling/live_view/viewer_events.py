"""Live messages of the worker and records of the database as server-sent events. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, cast

from contracts import live_messages as live
from contracts.call_status import ParticipantStatus
from control_plane.calling.calls.models import CallParticipant, Segment, TurnLatencies
from control_plane.calling.live_view import schemas as wire
from control_plane.calling.live_view.repository import RecordedStatus
from control_plane.calling.live_view.server_sent_events import ServerSentEvent
from control_plane.platform.link.live_streams import LiveEntry

END_ID = "end"
"""Id of the last event of a stream: a client that reconnects with it has seen everything."""


def live_event(entry: LiveEntry) -> ServerSentEvent | None:
    """A live message as an event.

    ``None`` for a message about the state of the call itself, which viewers get from the database,
    and for a message that this version does not know.
    """
    event_id = str(entry.entry_id)
    match entry.body:
        case live.LiveTranscript() as said:
            return ServerSentEvent(
                "transcript",
                wire.Utterance(
                    utterance=said.utterance,
                    sequence=said.sequence,
                    speaker=said.speaker,
                    text=said.text,
                    is_final=said.is_final,
                    at_ms=said.at_ms,
                ),
                event_id,
            )
        case live.TurnLatency() as turn:
            return ServerSentEvent(
                "latency",
                wire.TurnLatency(
                    utterance=turn.utterance,
                    sequence=turn.sequence,
                    end_to_end_ms=turn.end_to_end_ms,
                ),
                event_id,
            )
        case live.AgentStateChanged(state=agent):
            return ServerSentEvent("state", wire.AgentState(state=agent), event_id)
        case live.UserStateChanged(state=user):
            return ServerSentEvent("state", wire.UserState(state=user), event_id)
        case live.ParticipantStateChanged() as person:
            change = wire.ParticipantState(
                participant_id=person.participant_id,
                state=person.state,
                may_return=person.may_return,
            )
            return ServerSentEvent("state", change, event_id)
        case live.Interrupted(at_ms=at_ms):
            return ServerSentEvent("interruption", wire.Interruption(at_ms=at_ms), event_id)
        case live.ToolUsed(name=name, is_error=is_error):
            return ServerSentEvent("tool", wire.ToolUse(name=name, is_error=is_error), event_id)
        case live.RecordingStateChanged(recording_id=recording_id, state=recording):
            now = wire.RecordingState(recording_id=recording_id, state=recording)
            return ServerSentEvent("recording", now, event_id)
        case live.CallInProgress() | live.CallOver() | None:
            return None


def call_state_event(status: RecordedStatus) -> ServerSentEvent:
    """The call's state; if the call is over, this is the last event of the stream."""
    state = wire.CallState(state=status.status, end_reason=status.end_reason)
    return ServerSentEvent("state", state, END_ID if status.is_over else None)


def presence_events(participants: Iterable[CallParticipant]) -> Iterator[ServerSentEvent]:
    """Who is in the call now."""
    for participant in participants:
        if participant.status == ParticipantStatus.CONNECTED.value:
            yield ServerSentEvent(
                "state", wire.ParticipantState(participant_id=participant.id, state="connected")
            )


def segment_events(segment: Segment, latencies: TurnLatencies | None) -> Iterator[ServerSentEvent]:
    """A segment from the database and, if it is the agent's, its latency."""
    yield ServerSentEvent(
        "transcript",
        wire.Utterance(
            utterance=None,
            sequence=segment.sequence,
            speaker=cast(Literal["user", "agent"], segment.speaker),
            text=segment.text,
            is_final=True,
            at_ms=segment.ended_at_ms,
        ),
    )
    if latencies is not None and latencies.end_to_end_ms is not None:
        yield ServerSentEvent(
            "latency",
            wire.TurnLatency(
                utterance=None,
                sequence=segment.sequence,
                end_to_end_ms=latencies.end_to_end_ms,
            ),
        )


def final_sequences(entries: Iterable[LiveEntry]) -> Iterator[int]:
    """The places in the transcript of the utterances that are final in ``entries``."""
    for entry in entries:
        if isinstance(entry.body, live.LiveTranscript) and entry.body.sequence is not None:
            yield entry.body.sequence
