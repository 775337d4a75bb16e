"""Records of calls as the API shows them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, cast

from control_plane.calling.calls.ending.cost_breakdown import model_usage
from control_plane.calling.calls.models import (
    Call,
    CallLogEntry,
    CallParticipant,
    Segment,
    TurnLatencies,
)
from control_plane.calling.calls.participants.views import participant_view
from control_plane.calling.calls.schemas import (
    AgentName,
    CallDetail,
    CallEventView,
    LatencyMetrics,
    ModelUsageView,
    RawEntry,
    RawSegment,
    SegmentView,
    Transcript,
    TranscriptView,
)
from control_plane.calling.dialing.models import DialingJob
from control_plane.calling.intelligence.models import CallAnalysis
from control_plane.calling.intelligence.views import intelligence_view
from control_plane.calling.recordings.schemas import RecordingView

Segments = Sequence[tuple[Segment, TurnLatencies | None]]
"""A transcript: each segment with the latencies of its turn."""


def call_detail(
    call: Call,
    fields: Mapping[str, Any],
    participants: Iterable[tuple[CallParticipant, DialingJob | None]],
    segments: Segments,
    events: Iterable[CallLogEntry],
    analysis: CallAnalysis | None,
    recording: RecordingView | None,
) -> CallDetail:
    """
    Args:
        call: with its plan loaded.
        fields: the fields of its ``CallView``; ``participants`` replaces the one of that name.
        segments: its transcript.
    """
    return CallDetail(
        **{name: value for name, value in fields.items() if name != "participants"},
        participants=[participant_view(person, leg) for person, leg in participants],
        agent=AgentName(id=call.agent_id, name=call.plan["agent"]["name"]),
        transcript=Transcript(
            text=_text(segments),
            segments=[_segment(segment) for segment, _ in segments],
            raw=[_raw(segment, latencies) for segment, latencies in segments],
        ),
        recording=recording,
        intelligence=intelligence_view(call, analysis),
        usage=[
            ModelUsageView.of(usage) for usage in model_usage(call.usage, call.provider_cost_micros)
        ],
        collected_slots=call.collected_slots,
        events=[CallEventView.model_validate(event) for event in events],
    )


def transcript_view(segments: Segments) -> TranscriptView:
    return TranscriptView(
        transcript=[
            RawSegment(**_raw(segment, latencies).model_dump(), **_segment(segment).model_dump())
            for segment, latencies in segments
        ],
        text=_text(segments),
        segments=[_segment(segment) for segment, _ in segments],
    )


def _text(segments: Segments) -> str:
    return "\n".join(f"{segment.speaker}: {segment.text}" for segment, _ in segments)


def _segment(segment: Segment) -> SegmentView:
    return SegmentView(
        speaker=cast(Literal["user", "agent"], segment.speaker),
        text=segment.text,
        sequence=segment.sequence,
        started_at_ms=segment.started_at_ms,
        ended_at_ms=segment.ended_at_ms,
    )


def _raw(segment: Segment, latencies: TurnLatencies | None) -> RawEntry:
    return RawEntry(
        id=segment.id,
        type="user_input" if segment.speaker == "user" else "agent_response",
        response=segment.text,
        interrupted=segment.interrupted,
        metrics=None if latencies is None else LatencyMetrics.model_validate(latencies),
    )
