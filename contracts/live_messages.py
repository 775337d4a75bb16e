"""Worker → everybody who follows a call live.

The same messages go to two places: to the people in the room over the data channel ``events``, and
to the stream ``redis_names.live_stream``, from which the API serves viewers.
"""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt

from contracts.events import Speaker

_FROZEN = ConfigDict(frozen=True)
DATA_CHANNEL_LABEL = "events"


class CallInProgress(BaseModel):
    """The first participant's media connected."""

    model_config = _FROZEN
    type: Literal["call.in_progress"] = "call.in_progress"


class ParticipantStateChanged(BaseModel):
    model_config = _FROZEN
    type: Literal["participant.state"] = "participant.state"
    participant_id: UUID
    state: Literal["connected", "left", "connection_lost"]
    may_return: bool = False
    """With ``connection_lost``: nothing comes from the participant, who has some seconds to
    reconnect. The next message says whether that succeeded."""


class AgentStateChanged(BaseModel):
    model_config = _FROZEN
    type: Literal["agent.state"] = "agent.state"
    state: Literal["listening", "thinking", "speaking"]


class UserStateChanged(BaseModel):
    model_config = _FROZEN
    type: Literal["user.state"] = "user.state"
    state: Literal["listening", "speaking", "away"]


class LiveTranscript(BaseModel):
    """All messages about one utterance have the same ``utterance``; the last has ``is_final``.

    ``sequence`` is the place of a final message in the call's transcript; ``None`` if no transcript
    is kept.
    """

    model_config = _FROZEN
    type: Literal["transcript"] = "transcript"
    utterance: NonNegativeInt
    speaker: Speaker
    text: str
    is_final: bool
    at_ms: NonNegativeInt
    sequence: NonNegativeInt | None = None


class TurnLatency(BaseModel):
    model_config = _FROZEN
    type: Literal["latency"] = "latency"
    utterance: NonNegativeInt
    end_to_end_ms: int
    sequence: NonNegativeInt | None = None


class Interrupted(BaseModel):
    """The caller cut in: the agent's audio was stopped."""

    model_config = _FROZEN
    type: Literal["interrupted"] = "interrupted"
    at_ms: NonNegativeInt


class ToolUsed(BaseModel):
    """For viewers only: callers are not told which tools an agent has."""

    model_config = _FROZEN
    type: Literal["tool"] = "tool"
    name: str
    is_error: bool


class RecordingStateChanged(BaseModel):
    model_config = _FROZEN
    type: Literal["recording.state"] = "recording.state"
    recording_id: UUID
    state: Literal["started", "stopped"]


class CallOver(BaseModel):
    model_config = _FROZEN
    type: Literal["call.ended"] = "call.ended"
    end_reason: str


LiveBody = Annotated[
    CallInProgress
    | ParticipantStateChanged
    | AgentStateChanged
    | UserStateChanged
    | LiveTranscript
    | TurnLatency
    | Interrupted
    | ToolUsed
    | RecordingStateChanged
    | CallOver,
    Field(discriminator="type"),
]


class LiveMessage(BaseModel):
    model_config = _FROZEN
    version: Literal[1] = 1
    body: LiveBody
