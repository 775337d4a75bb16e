"""Records of calls as the API shows them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal, cast

from contracts.money import usd
from control_plane.calls.model_usage import model_usage
from control_plane.calls.models import Call, CallLogEntry, CallParticipant, Segment, TurnLatencies
from control_plane.calls.provider_cost import CHANNELS
from control_plane.calls.schemas import (
    AgentName,
    CallDetail,
    CallEventView,
    CallView,
    LatencyMetrics,
    ModelUsageView,
    ParticipantView,
    PrimaryParticipant,
    ProviderCostBreakdown,
    RawEntry,
    RawSegment,
    SegmentView,
    Transcript,
    TranscriptView,
)
from control_plane.intelligence.models import CallAnalysis
from control_plane.intelligence.views import intelligence_view

Said = Sequence[tuple[Segment, TurnLatencies | None]]


def call_view(call: Call, participants: Iterable[CallParticipant]) -> CallView:
    present = [ParticipantView.model_validate(participant) for participant in participants]
    primary = present[0] if present else None
    costs = call.provider_cost_micros
    return CallView(
        id=call.id,
        room_name=call.room_name,
        agent_id=call.agent_id,
        status=call.status,
        created_at=call.created_at,
        started_at=call.started_at,
        ended_at=call.ended_at,
        bill_duration=None if call.ended_at is None else (call.connected_ms or 0) / 1000,
        billable_seconds=call.billable_seconds,
        total_cost=None if call.total_cost_micros is None else usd(call.total_cost_micros),
        provider_cost=None if costs is None else usd(sum(costs.values())),
        provider_cost_breakdown=None
        if costs is None
        else ProviderCostBreakdown(**{channel: usd(costs[channel]) for channel in CHANNELS}),
        provider_cost_calculated_at=call.provider_cost_calculated_at,
        end_reason=call.end_reason,
        metadata=call.details,
        intelligence_status=call.intelligence_status,
        participant_count=len(present),
        primary_participant=primary
        and PrimaryParticipant(identity=primary.identity, transport=primary.transport),
        participants=present,
    )


def call_detail(
    call: Call,
    participants: Iterable[CallParticipant],
    said: Said,
    events: Iterable[CallLogEntry],
    analysis: CallAnalysis | None,
) -> CallDetail:
    """``call`` must have its plan loaded."""
    return CallDetail(
        **call_view(call, participants).model_dump(),
        agent=AgentName(id=call.agent_id, name=call.plan["agent"]["name"]),
        transcript=Transcript(
            text=_text(said),
            segments=[_segment(segment) for segment, _ in said],
            raw=[_raw(segment, latencies) for segment, latencies in said],
        ),
        intelligence=intelligence_view(call, analysis),
        usage=[
            ModelUsageView.of(usage) for usage in model_usage(call.usage, call.provider_cost_micros)
        ],
        collected_slots=call.collected_slots,
        events=[CallEventView.model_validate(event) for event in events],
    )


def transcript_view(said: Said) -> TranscriptView:
    return TranscriptView(
        transcript=[
            RawSegment(**_raw(segment, latencies).model_dump(), **_segment(segment).model_dump())
            for segment, latencies in said
        ],
        text=_text(said),
        segments=[_segment(segment) for segment, _ in said],
    )


def _text(said: Said) -> str:
    return "\n".join(f"{segment.speaker}: {segment.text}" for segment, _ in said)


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
