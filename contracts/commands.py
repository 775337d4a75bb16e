"""Control plane or bridge → one worker. A command names its call. A worker that does not run that
call ignores it.

Commands that need an answer carry ``reply_to``: the worker pushes one ``CommandReply`` to the list
``redis_names.reply(reply_to)`` and lets it expire.
"""

from __future__ import annotations

from typing import Annotated, Literal
from uuid import UUID

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, PositiveInt

from contracts.end_reasons import EndReason

_FROZEN = ConfigDict(frozen=True, extra="forbid")

FUNDS_GOODBYE_MS = 4_000
"""How long before the paid time is over a worker begins to say goodbye."""


class EndCall(BaseModel):
    """End the call. With ``farewell`` the agent says that first."""

    model_config = _FROZEN
    type: Literal["call.end"] = "call.end"
    end_reason: EndReason
    farewell: str | None = None


class OfferLeg(BaseModel):
    """A browser's SDP offer for one participant of the plan; the reply carries the answer."""

    model_config = _FROZEN
    type: Literal["leg.offer"] = "leg.offer"
    participant_id: UUID
    identity: str
    sdp: str
    reply_to: UUID


class RemoveLeg(BaseModel):
    """Take the participant out of the room. Without ``lost_carrier`` it counts as having left in
    good order."""

    model_config = _FROZEN
    type: Literal["leg.remove"] = "leg.remove"
    participant_id: UUID
    lost_carrier: str | None = Field(None, exclude_if=lambda carrier: carrier is None)
    """The carrier of a phone whose line was lost on our side, as when its bridge died."""


class PhoneNotReached(BaseModel):
    """The phone that the call has asked for (``contracts.events.PhoneWanted``) will not come."""

    model_config = _FROZEN
    type: Literal["phone.not_reached"] = "phone.not_reached"
    participant_id: UUID
    why: str
    """For the call's event log: ``busy``, or a sentence."""


class ReleaseCall(BaseModel):
    """The phone for which the worker was reserved was not answered: drop the call without a trace.
    It may be dialed again, and is then offered again. Ignored once somebody has joined."""

    model_config = _FROZEN
    type: Literal["call.release"] = "call.release"


class ExtendFunds(BaseModel):
    """The call's reserve now pays for more. The highest ``funded_until_ms`` counts, so the command
    may be lost, come late or come twice."""

    model_config = _FROZEN
    type: Literal["call.extend_funds"] = "call.extend_funds"
    funded_until_ms: PositiveInt
    """Connected milliseconds that the reserve pays for."""
    balance_is_spent: bool = False
    """The balance allowed less than was wanted. Unless credit is added, nothing more will come."""


class MachineReported(BaseModel):
    """The bridge: the carrier says that a machine has answered the phone that was dialed.
    ``records``: its greeting is over, so that a message can be left. May come twice, late, or
    before the phone's sound; workers of releases without phones cannot read it, and have none."""

    model_config = _FROZEN
    type: Literal["leg.machine_reported"] = "leg.machine_reported"
    participant_id: UUID
    records: bool


CommandBody = Annotated[
    EndCall | ExtendFunds | MachineReported | OfferLeg | PhoneNotReached | ReleaseCall | RemoveLeg,
    Field(discriminator="type"),
]


class Command(BaseModel):
    model_config = _FROZEN
    version: Literal[1] = 1
    command_id: UUID
    call_id: UUID
    issued_at: AwareDatetime
    body: CommandBody


class LegAnswered(BaseModel):
    model_config = _FROZEN
    type: Literal["leg.answered"] = "leg.answered"
    sdp: str


class CommandRefused(BaseModel):
    """``code`` is for programs. ``no_free_port``: the worker has no UDP port left for the leg.
    ``no_free_slot``: it runs as many calls as it may. Release 0.1 takes both for no reply."""

    model_config = _FROZEN
    type: Literal["refused"] = "refused"
    code: Literal["bad_offer", "call_not_here", "room_closed", "no_free_port", "no_free_slot"]
    detail: str


class CommandReply(BaseModel):
    model_config = _FROZEN
    version: Literal[1] = 1
    request_id: UUID
    body: Annotated[LegAnswered | CommandRefused, Field(discriminator="type")]
