"""The ``data`` of each event of a call's stream. Times are in ms from the start of the call."""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import BaseModel, Field, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


class CallState(BaseModel):
    """Event ``state``. A terminal ``state`` is the last event of the stream."""

    subject: Literal["call"] = "call"
    state: str = Field(description="The call's `status`, as `GET /v1/calls/{call_id}` shows it.")
    end_reason: str | None = None


class ParticipantState(BaseModel):
    """Event ``state``."""

    subject: Literal["participant"] = "participant"
    participant_id: UUID
    state: Literal["connected", "left", "connection_lost"]
    may_return: bool = Field(
        False,
        description="With `connection_lost`: nothing comes from the participant, who has some "
        "seconds to reconnect. The next state says whether that succeeded.",
    )


class AgentState(BaseModel):
    """Event ``state``."""

    subject: Literal["agent"] = "agent"
    state: Literal["listening", "thinking", "speaking"]


class UserState(BaseModel):
    """Event ``state``: the people in the call, taken together."""

    subject: Literal["user"] = "user"
    state: Literal["listening", "speaking", "away"]


class Utterance(BaseModel):
    """Event ``transcript``. It replaces earlier ones of the same ``utterance`` or ``sequence``."""

    utterance: int | None = Field(
        description="Number of a growing utterance; null if it comes from the saved transcript."
    )
    sequence: int | None = Field(
        description="Its place in the transcript of the call; null until the utterance is final."
    )
    speaker: Literal["user", "agent"]
    text: str
    is_final: bool
    at_ms: int


class TurnLatency(BaseModel):
    """Event ``latency``: from the caller's last word to the agent's first."""

    utterance: int | None
    sequence: int | None
    end_to_end_ms: int


class Interruption(BaseModel):
    """Event ``interruption``: the caller interrupted the agent, and its voice was stopped."""

    at_ms: int


class ToolUse(BaseModel):
    """Event ``tool``."""

    name: str
    is_error: bool


class RecordingState(BaseModel):
    """Event ``recording``."""

    recording_id: UUID
    state: Literal["started", "stopped"]


LiveData = (
    CallState
    | ParticipantState
    | AgentState
    | UserState
    | Utterance
    | TurnLatency
    | Interruption
    | ToolUse
    | RecordingState
)


class AsJsonText:
    """Declares in OpenAPI that the data of an event is text that holds JSON."""

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        content = handler(schema)
        return {
            "type": "string",
            "contentMediaType": "application/json",
            "contentSchema": content,
        }


class LiveEvent(BaseModel):
    """One server-sent event. `event` determines the shape of `data`."""

    event: Literal["state", "transcript", "latency", "interruption", "tool", "recording"]
    data: Annotated[LiveData, AsJsonText()]
    id: str | None = None
