"""What a call's data channel tells its legs.

Written by generate.py from the API's OpenAPI document.
"""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import Field

from switchboard_client.wire_model import WireModel


class AgentStateChanged(WireModel):
    type: Literal["agent.state"]
    state: Literal["listening", "thinking", "speaking"] | str


class CallInProgress(WireModel):
    """The first participant's media connected."""

    type: Literal["call.in_progress"]


class CallOver(WireModel):
    type: Literal["call.ended"]
    end_reason: str


class Interrupted(WireModel):
    """The caller cut in: the agent's audio was stopped."""

    type: Literal["interrupted"]
    at_ms: int


class LiveTranscript(WireModel):
    """
    All messages about one utterance have the same ``utterance``; the last has ``is_final``.

    ``sequence`` is the place of a final message in the call's transcript; ``None`` if no transcript
    is kept.
    """

    type: Literal["transcript"]
    utterance: int
    speaker: Literal["user", "agent"] | str
    text: str
    is_final: bool
    at_ms: int
    sequence: int | None


class ParticipantStateChanged(WireModel):
    type: Literal["participant.state"]
    participant_id: UUID
    state: Literal["connected", "left", "connection_lost"] | str
    may_return: bool


class RecordingStateChanged(WireModel):
    type: Literal["recording.state"]
    recording_id: UUID
    state: Literal["started", "stopped"] | str


class ToolUsed(WireModel):
    """For viewers only: callers are not told which tools an agent has."""

    type: Literal["tool"]
    name: str
    is_error: bool


class TurnLatency(WireModel):
    type: Literal["latency"]
    utterance: int
    end_to_end_ms: int
    sequence: int | None


class UserStateChanged(WireModel):
    type: Literal["user.state"]
    state: Literal["listening", "speaking", "away"] | str


class LiveMessage(WireModel):
    version: Literal[1] = 1
    body: Annotated[
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
