"""What the worker tells and what the record holds, as events for viewers. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, cast

from contracts import live_messages as live
from contracts.call_status import ParticipantStatus
from control_plane.calling.calls.models import CallParticipant, Segment, TurnLatencies
from control_plane.calling.live_view import schemas as wire
from control_plane.calling.live_view.repository import Standing
from control_plane.calling.live_view.server_sent_events import ServerSentEvent
from control_plane.platform.link.live_streams import LiveEntry

END_ID = "end"
"""Id of a stream's last event: a client that comes back with it has seen everything."""


def told_live(entry: LiveEntry) -> ServerSentEvent | None:
    """``entry`` for viewers; ``None`` for what concerns the call's own state, which the record
    tells, and for what is not known here."""
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
        case live.ParticipantStateChanged(participant_id=participant_id, state=state):
            change = wire.ParticipantState(participant_id=participant_id, state=state)
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


def told_standing(standing: Standing) -> ServerSentEvent:
    """Where the call stands; the last event of the stream if it is over."""
    state = wire.CallState(state=standing.status, end_reason=standing.end_reason)
    return ServerSentEvent("state", state, END_ID if standing.is_over else None)


def told_present(participants: Iterable[CallParticipant]) -> Iterator[ServerSentEvent]:
    """Who is in the call now."""
    for participant in participants:
        if participant.status == ParticipantStatus.CONNECTED.value:
            yield ServerSentEvent(
                "state", wire.ParticipantState(participant_id=participant.id, state="connected")
            )


def told_segment(segment: Segment, latencies: TurnLatencies | None) -> Iterator[ServerSentEvent]:
    """An utterance from the record, and how soon it came if it was an answer."""
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


def sequences(entries: Iterable[LiveEntry]) -> Iterator[int]:
    """The places in the transcript of the utterances that ``entries`` tell whole."""
    for entry in entries:
        if isinstance(entry.body, live.LiveTranscript) and entry.body.sequence is not None:
            yield entry.body.sequence
