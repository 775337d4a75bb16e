"""What a caller process writes to its standard output as the call goes on: JSON, one a line."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from contracts.live_messages import LiveBody

LegState = Literal["connected", "reconnecting"]

_FROZEN = ConfigDict(frozen=True, extra="forbid")


class Prepared(BaseModel):
    """Voice and recogniser are loaded; a call can start at once."""

    model_config = _FROZEN
    type: Literal["prepared"] = "prepared"


EndedBy = Literal["caller", "agent", "connection_lost"]


class Placed(BaseModel):
    """The API created the call."""

    model_config = _FROZEN
    type: Literal["placed"] = "placed"
    call_id: str
    agent_name: str


class Connected(BaseModel):
    """The media connection is up. ``set_up_ms`` counts from the request that placed the call."""

    model_config = _FROZEN
    type: Literal["connected"] = "connected"
    set_up_ms: float


class ConnectionChanged(BaseModel):
    """The media connection was lost, and the caller makes a new one; or that one is up."""

    model_config = _FROZEN
    type: Literal["connection"] = "connection"
    state: LegState


class Live(BaseModel):
    """A message of the worker, over the data channel."""

    model_config = _FROZEN
    type: Literal["live"] = "live"
    body: LiveBody


class AgentAudible(BaseModel):
    """The agent's first speech sample of a turn was received.

    ``latency_ms`` counts from the connection for the first turn, from the caller's last speech
    sample for a reply. It is ``None`` if the agent spoke without being asked, or over the caller.
    """

    model_config = _FROZEN
    type: Literal["agent.audible"] = "agent.audible"
    at_seconds: float
    latency_ms: float | None


class Saying(BaseModel):
    """The caller begins to speak."""

    model_config = _FROZEN
    type: Literal["saying"] = "saying"
    at_seconds: float
    text: str
    is_interruption: bool


class Heard(BaseModel):
    """A turn of the agent is over. ``text`` is what the caller's recogniser understood."""

    model_config = _FROZEN
    type: Literal["heard"] = "heard"
    at_seconds: float
    text: str


class CallerTurn(BaseModel):
    """One utterance of the caller, and what it heard as an answer."""

    model_config = _FROZEN
    said: str
    heard: str
    """Empty: nothing was understood."""
    outcome: Literal["answered", "unanswered", "talked_over"]
    latency_ms: float | None
    is_goodbye: bool


class CallSummary(BaseModel):
    """A whole call, as measured by the caller. Seconds and ms on its own monotonic clock."""

    model_config = _FROZEN
    call_id: str
    ended_by: EndedBy
    end_reason: str | None
    """The worker's own announcement, if there was one."""
    connected_seconds: float
    opener_heard: str
    first_sample_ms: float | None
    turns: tuple[CallerTurn, ...]
    barge_in_ms: tuple[float | None, ...]
    """One per interruption; ``None``: the agent had finished already."""

    @property
    def voice_to_voice_ms(self) -> list[float]:
        """Latencies of the turns that have one."""
        return [turn.latency_ms for turn in self.turns if turn.latency_ms is not None]


class Finished(BaseModel):
    model_config = _FROZEN
    type: Literal["finished"] = "finished"
    summary: CallSummary


class Failed(BaseModel):
    """The call could not be placed or held."""

    model_config = _FROZEN
    type: Literal["failed"] = "failed"
    detail: str
    advice: str


Report = Annotated[
    Prepared
    | Placed
    | Connected
    | ConnectionChanged
    | Live
    | AgentAudible
    | Saying
    | Heard
    | Finished
    | Failed,
    Field(discriminator="type"),
]
REPORT: TypeAdapter[Report] = TypeAdapter(Report)
