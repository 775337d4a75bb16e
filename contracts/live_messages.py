"""Worker → page, over the data channel ``events``: what the call page shows as it happens."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, NonNegativeInt

from contracts.events import Speaker

_FROZEN = ConfigDict(frozen=True)
DATA_CHANNEL_LABEL = "events"


class AgentStateChanged(BaseModel):
    model_config = _FROZEN
    type: Literal["agent.state"] = "agent.state"
    state: Literal["listening", "thinking", "speaking"]


class UserStateChanged(BaseModel):
    model_config = _FROZEN
    type: Literal["user.state"] = "user.state"
    state: Literal["listening", "speaking", "away"]


class LiveTranscript(BaseModel):
    """``utterance`` stays the same while an utterance grows; the last one has ``is_final``."""

    model_config = _FROZEN
    type: Literal["transcript"] = "transcript"
    utterance: NonNegativeInt
    speaker: Speaker
    text: str
    is_final: bool
    at_ms: NonNegativeInt


class TurnLatency(BaseModel):
    model_config = _FROZEN
    type: Literal["latency"] = "latency"
    utterance: NonNegativeInt
    end_to_end_ms: int


class Interrupted(BaseModel):
    """The caller cut in: the agent's audio was stopped."""

    model_config = _FROZEN
    type: Literal["interrupted"] = "interrupted"
    at_ms: NonNegativeInt


class CallOver(BaseModel):
    model_config = _FROZEN
    type: Literal["call.ended"] = "call.ended"
    end_reason: str


LiveBody = Annotated[
    AgentStateChanged | UserStateChanged | LiveTranscript | TurnLatency | Interrupted | CallOver,
    Field(discriminator="type"),
]


class LiveMessage(BaseModel):
    model_config = _FROZEN
    version: Literal[1] = 1
    body: LiveBody
