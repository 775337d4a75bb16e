"""Worker → control plane: everything that happens in a call, in order.

A worker journals each ``CallEvent`` on disk before it ships it. ``seq`` starts at 1 and has no
gaps within one call, so the control plane can apply each event exactly once and in order.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, NonNegativeInt

from contracts.end_reasons import EndReason

Speaker = Literal["user", "agent"]
_FROZEN = ConfigDict(frozen=True, extra="forbid")


class RoomOpened(BaseModel):
    """The call was claimed and its room can take legs."""

    model_config = _FROZEN
    type: Literal["room.opened"] = "room.opened"


class CallStarted(BaseModel):
    """The first leg's media connected. This instant is position 0 of the meter."""

    model_config = _FROZEN
    type: Literal["call.started"] = "call.started"
    participant_id: UUID


class LegJoined(BaseModel):
    """A leg's media connected."""

    model_config = _FROZEN
    type: Literal["leg.joined"] = "leg.joined"
    participant_id: UUID


class LegLeft(BaseModel):
    """A leg is gone, or the call waits no longer for a phone that it has asked for."""

    model_config = _FROZEN
    type: Literal["leg.left"] = "leg.left"
    participant_id: UUID
    cause: Literal["left", "connection_lost", "call_ended"]
    lost_carrier: str | None = Field(
        None, max_length=40, exclude_if=lambda carrier: carrier is None
    )
    """The carrier of a phone whose line was lost on our side, as when its bridge died."""


class TranscriptSegment(BaseModel):
    """One finished utterance. Times are ms from ``call.started``."""

    model_config = _FROZEN
    type: Literal["transcript.segment"] = "transcript.segment"
    sequence: NonNegativeInt
    """Zero-based position in the call's transcript."""
    speaker: Speaker
    text: str
    """For the agent: only what was played to the caller."""
    started_at_ms: NonNegativeInt
    ended_at_ms: NonNegativeInt
    interrupted: bool = False


class TurnMeasured(BaseModel):
    """Latencies of one agent turn, in ms; ``None`` where the part does not apply."""

    model_config = _FROZEN
    type: Literal["turn.measured"] = "turn.measured"
    sequence: NonNegativeInt
    """The agent segment's position in the transcript."""
    transcription_delay_ms: int | None = None
    end_of_turn_delay_ms: int | None = None
    llm_first_token_ms: int | None = None
    tts_first_byte_ms: int | None = None
    end_to_end_ms: int | None = None
    """Caller stopped speaking → first agent sample handed to the room."""


class UsageReported(BaseModel):
    """Totals of one provider's model since the call began; the last report counts. A report follows
    each turn, so that a worker that dies loses the usage of one turn at most.

    The last eight fields are written only when they are not 0, because release 0.1 refuses fields
    that it does not know.
    """

    model_config = _FROZEN
    type: Literal["usage.reported"] = "usage.reported"
    channel: Literal["stt", "llm", "tts"]
    provider: str
    model: str
    audio_ms: NonNegativeInt = 0
    input_tokens: NonNegativeInt = 0
    output_tokens: NonNegativeInt = 0
    characters: NonNegativeInt = 0
    cached_input_tokens: NonNegativeInt = Field(0, exclude_if=lambda tokens: tokens == 0)
    """The part of ``input_tokens`` that the provider had in its cache."""
    reasoning_tokens: NonNegativeInt = Field(0, exclude_if=lambda tokens: tokens == 0)
    """The part of ``output_tokens`` that the model spent on thinking."""
    estimated_input_tokens: NonNegativeInt = Field(0, exclude_if=lambda tokens: tokens == 0)
    """The part of ``input_tokens`` of which the provider has told nothing: the requests ended
    early."""
    estimated_output_tokens: NonNegativeInt = Field(0, exclude_if=lambda tokens: tokens == 0)
    """The same part of ``output_tokens``."""
    input_audio_tokens: NonNegativeInt = Field(0, exclude_if=lambda tokens: tokens == 0)
    """The part of ``input_tokens`` that a realtime model has heard. The rest is text."""
    cached_input_audio_tokens: NonNegativeInt = Field(0, exclude_if=lambda tokens: tokens == 0)
    """The part of ``input_audio_tokens`` that is in ``cached_input_tokens``, too."""
    output_audio_tokens: NonNegativeInt = Field(0, exclude_if=lambda tokens: tokens == 0)
    """The part of ``output_tokens`` that a realtime model has spoken."""
    estimated_audio_ms: NonNegativeInt = Field(0, exclude_if=lambda duration: duration == 0)
    """The part of a voice's ``audio_ms`` that nobody waited for: of the text that it had when it
    was interrupted, or given up because it was late."""


class ToolCalled(BaseModel):
    model_config = _FROZEN
    type: Literal["tool.called"] = "tool.called"
    name: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    output: str = ""
    is_error: bool = False
    duration_ms: NonNegativeInt | None = Field(None, exclude_if=lambda duration: duration is None)
    """Written only when it is known: release 0.1 refuses fields that it does not know."""


class SlotsCollected(BaseModel):
    """Values that the playbook engine has understood so far, by slot name."""

    model_config = _FROZEN
    type: Literal["slots.collected"] = "slots.collected"
    slots: dict[str, str]


class RecordingStarted(BaseModel):
    """The recording's first sample is position 0 of the meter."""

    model_config = _FROZEN
    type: Literal["recording.started"] = "recording.started"
    recording_id: UUID


class RecordingStopped(BaseModel):
    """Nothing more will be recorded. ``detail`` says what was lost, if anything. ``refused``: a
    caller did not agree to be recorded, and nothing that was stored may be kept."""

    model_config = _FROZEN
    type: Literal["recording.stopped"] = "recording.stopped"
    recording_id: UUID
    duration_ms: NonNegativeInt
    detail: str | None = None
    refused: bool = Field(False, exclude_if=lambda refused: not refused)
    """Written only when it is true: release 0.1 refuses fields that it does not know."""


class PhoneWanted(BaseModel):
    """Call a phone into this call, as ``participant_id``: a person to whom it is transferred."""

    model_config = _FROZEN
    participant_id: UUID
    to_number: str
    """E.164."""


class CallMetered(BaseModel):
    """Connected time so far, by which the control plane extends the reserve."""

    model_config = _FROZEN
    type: Literal["call.metered"] = "call.metered"
    connected_ms: NonNegativeInt
    agent_id: UUID | None = Field(None, exclude_if=lambda agent_id: agent_id is None)
    """The agent that takes over at this instant: what follows is billed at its price. Written only
    then: release 0.1 refuses fields that it does not know. It is a field of a known event, because
    a new kind of event could not be read by the previous release."""
    phone: PhoneWanted | None = Field(None, exclude_if=lambda phone: phone is None)
    """A phone that joins from now on, for the same reason a field. Written only then."""


class KeysPressed(BaseModel):
    """Keys of one phone. ``received``: its person has pressed them; ``sent``: the agent has.

    ``digits`` is ``None`` where they must not be kept: they may be a secret, or the agent keeps no
    transcript.
    """

    model_config = _FROZEN
    participant_id: UUID
    direction: Literal["received", "sent"]
    digits: str | None


class ModelSwitched(BaseModel):
    """One model took over from another, within a call and for the same agent."""

    model_config = _FROZEN
    channel: Literal["stt", "llm", "tts", "realtime"]
    failed: str
    """``provider/model``"""
    taken_over_by: str
    """``provider/model``, those of a pipeline, or ``recorded words``"""
    why: str
    lost_ms: int


class Logged(BaseModel):
    """A line for the call's event log that changes no state."""

    model_config = _FROZEN
    type: Literal["logged"] = "logged"
    level: Literal["info", "warning", "error"]
    message: str
    keys: KeysPressed | None = Field(None, exclude_if=lambda keys: keys is None)
    """What the line tells of, if that is keys. Written only then: release 0.1 refuses fields that
    it does not know, and has no phones."""
    switch: ModelSwitched | None = Field(None, exclude_if=lambda switch: switch is None)
    """What the line tells of, if that is a switch. Written only then, for the same reason."""


class CallEnded(BaseModel):
    """The last event of a call. ``connected_ms`` is ``None`` when no media ever connected."""

    model_config = _FROZEN
    type: Literal["call.ended"] = "call.ended"
    end_reason: EndReason
    connected_ms: NonNegativeInt | None
    detail: str | None = None
    lost_carrier: str | None = Field(
        None, max_length=40, exclude_if=lambda carrier: carrier is None
    )
    """The carrier of the last leg, if that was a phone whose line was lost on our side. The call
    has then failed; a release that does not know this field takes ``end_reason``."""


EventBody = Annotated[
    RoomOpened
    | CallStarted
    | LegJoined
    | LegLeft
    | TranscriptSegment
    | TurnMeasured
    | UsageReported
    | ToolCalled
    | SlotsCollected
    | RecordingStarted
    | RecordingStopped
    | CallMetered
    | Logged
    | CallEnded,
    Field(discriminator="type"),
]


class EventEnvelope(BaseModel):
    """Which call an event belongs to, and its number there: what can be read of an event of any
    release and any major version."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    call_id: UUID
    tenant_id: UUID
    seq: Annotated[int, Field(ge=1, le=2**63 - 1)]

    @property
    def key(self) -> tuple[UUID, UUID]:
        """Tenant and call."""
        return self.tenant_id, self.call_id


class CallEvent(BaseModel):
    """One journaled fact about one call."""

    model_config = _FROZEN
    version: Literal[1] = 1
    call_id: UUID
    tenant_id: UUID
    seq: Annotated[int, Field(ge=1)]
    occurred_at: AwareDatetime
    worker_id: str
    body: EventBody
