"""Calls on the wire. Source: API spec, "Call", and "Calls" under Endpoints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, field_validator

from contracts.clearable import Clearable
from contracts.language_tag import LanguageTag
from contracts.money import usd
from control_plane.calling.calls.creating.post_call_merge import PostCallOverride
from control_plane.calling.calls.ending.cost_breakdown import ModelUsage
from control_plane.calling.calls.feedback.schemas import CallFeedback
from control_plane.calling.intelligence.schemas import IntelligenceView
from control_plane.calling.recordings.schemas import RecordingView

MAX_PARTICIPANTS = 16
Identity = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=256)]


class ParticipantInput(BaseModel):
    model_config = ConfigDict(extra="forbid")
    transport: Literal["webrtc", "pstn"]
    identity: Identity
    from_number: str | None = None
    metadata: Clearable[dict[str, Any]] = Field(default_factory=dict)


class CallRequest(BaseModel):
    """The call that a client wants."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "example": {
                "agent_id": "7f3c8f0e-0d1e-4a3b-9d55-2f1f1f6a9c11",
                "participants": [{"transport": "webrtc", "identity": "ada"}],
            }
        },
    )
    agent_id: UUID | None = Field(
        None,
        description="Required, except for phone calls with a publishable key: those always use the "
        "agent that the key names for phone calls.",
    )
    participants: Annotated[
        list[ParticipantInput], Field(min_length=1, max_length=MAX_PARTICIPANTS)
    ]
    metadata: Clearable[dict[str, Any]] = Field(default_factory=dict)
    variables: Clearable[dict[str, Any]] = Field(default_factory=dict)
    locale: LanguageTag | None = Field(
        None,
        description="The language of the call, one of the agent's `supported_languages`. Without "
        "it: `persona.voiceConfig.language`, if that is one of them, or else `language`.",
    )
    post_call: PostCallOverride | None = None


class CallCreate(CallRequest):
    """A checked request: it names its agent, and its phone numbers are in E.164."""

    agent_id: UUID


class Access(BaseModel):
    url: str = Field(description="Where the participant posts its SDP offer (WHIP, RFC 9725).")
    token: str = Field(description="Bearer token for that request.")


class ParticipantView(BaseModel):
    """A participant in a list of calls."""

    id: UUID
    role: str
    transport: str
    identity: str
    status: str


class FullParticipant(ParticipantView):
    from_number: str | None = Field(description="The caller id of a phone; null for a browser.")
    metadata: dict[str, Any]


class JoiningParticipant(FullParticipant):
    access: Access


class CallParticipantView(FullParticipant):
    telephony_leg_id: UUID | None = Field(description="Null for a browser.")
    job_id: UUID | None = Field(description="Null for a browser.")


class AgentName(BaseModel):
    id: UUID
    name: str


class CallCreated(BaseModel):
    id: UUID
    room_name: str
    status: str
    participants: list[JoiningParticipant]
    agent: AgentName


class PrimaryParticipant(BaseModel):
    identity: str
    transport: str


class ProviderCostBreakdown(BaseModel):
    llm: float
    stt: float
    tts: float


class ActualCostBreakdown(BaseModel):
    """`null` for a channel whose cost is not known."""

    llm: float | None
    stt: float | None
    tts: float | None


class CallView(BaseModel):
    """One call in a list. Costs are in US dollars, durations in seconds."""

    id: UUID
    room_name: str
    agent_id: UUID
    status: str
    created_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    bill_duration: float | None = Field(description="Connected seconds.")
    billable_seconds: int | None = Field(description="Connected seconds, rounded up to 30.")
    total_cost: float | None
    telecom_cost: float | None = Field(
        description="The part of `total_cost` that is not `provider_cost`: the fee for the call, "
        "and the minutes of its phones on the installation's carrier accounts."
    )
    provider_cost: float | None
    provider_cost_breakdown: ProviderCostBreakdown | None
    provider_cost_calculated_at: datetime | None
    provider_cost_actual: float | None = Field(
        description="What providers bill the installation for the call: what its models did, at "
        "the unit prices that were frozen when it was created. It is not what you pay. `null` "
        "while the call runs, and if the cost of a channel is not known."
    )
    provider_cost_actual_breakdown: ActualCostBreakdown | None = Field(
        description="`null` while the call runs."
    )
    end_reason: str | None
    metadata: dict[str, Any]
    intelligence_status: str
    feedback: CallFeedback | None = Field(description="`null` until somebody has rated the call.")
    participant_count: int
    primary_participant: PrimaryParticipant | None
    participants: Sequence[ParticipantView]


class CallPage(BaseModel):
    calls: list[CallView]
    total: int
    limit: int
    offset: int
    next_cursor: UUID | None


class SegmentView(BaseModel):
    """One final segment of the transcript; times are in ms from the start of the call."""

    speaker: Literal["user", "agent"]
    text: str
    sequence: int
    started_at_ms: int
    ended_at_ms: int
    is_final: bool = True
    source: str = "runtime"


class LatencyMetrics(BaseModel):
    """How long each part of an agent's turn took, in ms; `null` for a part that did not happen."""

    model_config = ConfigDict(from_attributes=True)
    transcription_delay_ms: int | None
    end_of_turn_delay_ms: int | None
    llm_first_token_ms: int | None
    tts_first_byte_ms: int | None
    end_to_end_ms: int | None


class RawEntry(BaseModel):
    """`response` is what was said; only the agent's turns have `metrics`."""

    id: UUID
    type: Literal["user_input", "agent_response"]
    response: str
    interrupted: bool
    metrics: LatencyMetrics | None


class RawSegment(RawEntry, SegmentView):
    """A raw entry together with the fields of its segment."""


class Transcript(BaseModel):
    text: str
    segments: list[SegmentView]
    raw: list[RawEntry]


class TranscriptView(BaseModel):
    transcript: list[RawSegment]
    text: str
    segments: list[SegmentView]


class ModelUsageView(BaseModel):
    """How much one model was used in the call."""

    channel: str = Field(description="`stt`, `llm` or `tts`.")
    provider: str
    model: str
    audio_ms: int
    input_tokens: int
    output_tokens: int
    characters: int
    cached_input_tokens: int = Field(description="The part of `input_tokens` from a cache.")
    reasoning_tokens: int = Field(description="The part of `output_tokens` spent on thinking.")
    estimated_input_tokens: int = Field(
        description="The part of `input_tokens` of which the provider has told nothing, because "
        "the requests ended early."
    )
    estimated_output_tokens: int = Field(description="The same part of `output_tokens`.")
    input_audio_tokens: int = Field(
        description="The part of `input_tokens` that a realtime model has heard."
    )
    cached_input_audio_tokens: int = Field(
        description="The part of `input_audio_tokens` from a cache."
    )
    output_audio_tokens: int = Field(
        description="The part of `output_tokens` that a realtime model has spoken."
    )
    estimated_audio_ms: int = Field(
        description="The part of a voice's `audio_ms` that nobody waited for: of the text that "
        "it had when it was interrupted, or given up because it was late."
    )
    cost: float | None = Field(
        description="The model's share of its channel's `provider_cost_breakdown`, in US dollars; "
        "`null` while the call runs."
    )

    @classmethod
    def of(cls, usage: ModelUsage) -> ModelUsageView:
        amounts = asdict(usage)
        cost_micros = amounts.pop("cost_micros")
        return cls(**amounts, cost=None if cost_micros is None else usd(cost_micros))


class CallEventView(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    id: UUID
    call_id: UUID
    level: str
    source: str
    message: str
    created_at: datetime

    @field_validator("source", mode="before")
    @classmethod
    def _of_the_specification(cls, source: str) -> str:
        # Earlier releases wrote "billing", which is not one of the specification's sources.
        return "lifecycle" if source == "billing" else source


class CallEventPage(BaseModel):
    events: list[CallEventView]
    total: int
    offset: int
    limit: int


class CallDetail(CallView):
    participants: Sequence[CallParticipantView]
    agent: AgentName
    transcript: Transcript
    recording: RecordingView | None
    intelligence: IntelligenceView
    usage: list[ModelUsageView]
    collected_slots: dict[str, str] = Field(
        description="The values that the playbook engine has collected, by slot name."
    )
    events: list[CallEventView]


class CallEndedView(BaseModel):
    status: Literal["ended"] = "ended"
    id: UUID
    message: str
